import { Button, Stack, Text } from '@mantine/core';
import type { CreatedKey } from '../api/types';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { calendarDate } from '../time/format';
import { DialogFooter } from '../ui/Dialog';
import { HelpLink } from '../ui/HelpLink';
import { useFocusOnMount } from '../ui/focus';
import { CopyableText } from './CopyableText';
import { FirstUse } from './FirstUse';
import classes from './reveal.module.css';
import { Snippets } from './Snippets';

interface Props {
  readonly created: CreatedKey;
  readonly onCopied: () => void;
  readonly advice: string | undefined;
  readonly onDone: () => void;
}

export function RevealKey({ created: { apiKey, fullKey }, onCopied, advice, onDone }: Props) {
  const texts = useTexts();
  const { docsUrl } = usePanel();
  const { create, language, reveal } = texts;
  const copyButton = useFocusOnMount<HTMLButtonElement>();
  return (
    <Stack gap="md">
      <Text size="sm" role="status" fw={600}>
        {reveal.once}
      </Text>
      <CopyableText
        text={fullKey}
        label={reveal.keyLabel}
        copyLabel={reveal.copyKey}
        hint={reveal.keep}
        buttonRef={copyButton}
        onCopied={onCopied}
        isMain
      />
      <Text size="sm">{create.expiresOn(calendarDate(apiKey.expiresAt, language))}</Text>
      {advice !== undefined && <Text size="sm">{advice}</Text>}
      <div>
        <div className={classes.useHeading}>
          <Text size="sm" fw={600}>
            {reveal.use}
          </Text>
          <HelpLink url={docsUrl} label={reveal.docs} />
        </div>
        <Snippets fullKey={fullKey} onKeyCopied={onCopied} />
      </div>
      <DialogFooter>
        <FirstUse keyId={apiKey.id} />
        <Button onClick={onDone}>{texts.done}</Button>
      </DialogFooter>
    </Stack>
  );
}

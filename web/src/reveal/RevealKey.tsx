import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import type { CreatedKey } from '../api/types';
import { usePanel } from '../panel/context';
import { useTexts } from '../texts';
import { useFocusOnMount } from '../ui/useFocusOnMount';
import { CopyableText } from './CopyableText';
import { curlLine } from './curl-line';
import { KeepSafe } from './KeepSafe';

interface Props {
  readonly created: CreatedKey;
  readonly isStored: boolean;
  readonly onStored: (isStored: boolean) => void;
  readonly advice: string | undefined;
  readonly onDone: () => void;
}

export function RevealKey({ created, isStored, onStored, advice, onDone }: Props) {
  const texts = useTexts();
  const { exampleUrl } = usePanel();
  const { reveal } = texts;
  const [isReminded, setReminded] = useState(false);
  const checkbox = useRef<HTMLInputElement>(null);
  const copyButton = useFocusOnMount<HTMLButtonElement>();

  const finish = () => {
    if (isStored) return onDone();
    setReminded(true);
    checkbox.current?.focus();
  };

  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {reveal.once(created.apiKey.name)}
      </Text>
      {advice !== undefined && <Text size="sm">{advice}</Text>}
      <CopyableText
        text={created.fullKey}
        label={reveal.keyLabel}
        copyLabel={reveal.copy}
        copiedAloud={reveal.copiedAloud}
        buttonRef={copyButton}
        isMain
      />
      <KeepSafe />
      <div>
        <Text size="sm" fw={600} mb={6}>
          {reveal.example}
        </Text>
        <CopyableText
          text={curlLine(created.fullKey, exampleUrl)}
          label={reveal.exampleLabel}
          copyLabel={reveal.copyExample}
          copiedAloud={reveal.copiedExampleAloud}
        />
      </div>
      <Group justify="space-between" align="flex-start" mt="xs">
        <Checkbox
          ref={checkbox}
          label={reveal.stored}
          checked={isStored}
          onChange={(event) => onStored(event.currentTarget.checked)}
          error={isReminded && !isStored && reveal.storedNeeded}
        />
        <Button onClick={finish}>{texts.done}</Button>
      </Group>
    </Stack>
  );
}

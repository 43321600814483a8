import { Tabs } from '@mantine/core';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { CopyableText } from './CopyableText';
import classes from './reveal.module.css';
import { SNIPPET_NAMES, SNIPPETS, snippetsFor } from './snippets';

interface Props {
  readonly fullKey: string;
  readonly onKeyCopied: () => void;
}

/** Without the address of an API that accepts keys, the examples have a plain placeholder. */
export function Snippets({ fullKey, onKeyCopied }: Props) {
  const { reveal } = useTexts();
  const { exampleUrl } = usePanel();
  const snippets = snippetsFor(fullKey, exampleUrl ?? reveal.address);
  return (
    <Tabs defaultValue="env" keepMounted={false} classNames={{ tab: classes.tab }}>
      <Tabs.List aria-label={reveal.snippets} mb="xs">
        {SNIPPETS.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {SNIPPET_NAMES[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {SNIPPETS.map((each) => (
        <Tabs.Panel key={each} value={each}>
          <CopyableText
            text={snippets[each]}
            label={SNIPPET_NAMES[each]}
            copyLabel={each === 'env' ? reveal.copyLine : reveal.copyCode}
            hint={reveal.hint[each]}
            hints={Object.values(reveal.hint)}
            {...(each === 'env' && { onCopied: onKeyCopied })}
          />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

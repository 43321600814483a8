import { Tabs } from '@mantine/core';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { CopyableText } from './CopyableText';

interface Props {
  readonly fullKey: string;
  readonly onKeyCopied: () => void;
}

/** For a key that nobody sees any more. */
export function CurlExample() {
  const { reveal } = useTexts();
  const { exampleUrl } = usePanel();
  const { curl } = snippetsFor('', exampleUrl ?? reveal.address);
  return <CopyableText text={curl} label={SNIPPET_NAMES.curl} hint={reveal.hint.curl} />;
}

/** Without the address of an API that accepts keys, the examples have a plain placeholder. */
export function Snippets({ fullKey, onKeyCopied }: Props) {
  const { reveal } = useTexts();
  const { exampleUrl } = usePanel();
  const snippets = snippetsFor(fullKey, exampleUrl ?? reveal.address);
  return (
    <Tabs defaultValue="env" keepMounted={false}>
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
            hint={reveal.hint[each]}
            hints={Object.values(reveal.hint)}
            {...(each === 'env' && { onCopied: onKeyCopied })}
          />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The variable that holds the key in every example. */
const NAME = 'API_KEY';

const SNIPPETS = ['env', 'curl', 'node', 'python'] as const;
type Snippet = (typeof SNIPPETS)[number];

const SNIPPET_NAMES: Readonly<Record<Snippet, string>> = {
  env: '.env',
  curl: 'curl',
  node: 'Node.js',
  python: 'Python',
};

/**
 * Examples of using a key. Only the line for the .env file contains it, so that it gets into no shell's history and no
 * source code.
 * @param address what the examples call
 */
function snippetsFor(fullKey: string, address: string): Readonly<Record<Snippet, string>> {
  const url = address.replaceAll(/['"\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return {
    env: `${NAME}=${fullKey}`,
    curl: `set -a; . ./.env; set +a
curl -H "Authorization: Bearer $${NAME}" \\
  '${url}'`,
    node: `const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${process.env.${NAME}}\` },
});`,
    python: `import os, requests
response = requests.get('${url}',
  headers={'Authorization': 'Bearer ' + os.environ['${NAME}']})`,
  };
}

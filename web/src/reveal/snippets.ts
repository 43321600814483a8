/** The variable that holds the key in every example. */
const NAME = 'API_KEY';

export const SNIPPETS = ['env', 'curl', 'node', 'python'] as const;
export type Snippet = (typeof SNIPPETS)[number];

export const SNIPPET_NAMES: Readonly<Record<Snippet, string>> = {
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
export function snippetsFor(fullKey: string, address: string): Readonly<Record<Snippet, string>> {
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
headers = {'Authorization': 'Bearer ' + os.environ['${NAME}']}
response = requests.get('${url}', headers=headers)`,
  };
}

import type { Addressee } from '#application/notices/notify-owners.js';
import type { OutboxMessage } from '#application/notice-ports.js';
import type { MailedType } from '#domain/notices/key-notice.js';
import { occasionOf, typedText } from './occasion.js';
import { fact, WORDS } from './words.js';

/** The text of one mail. What people typed appears only in the greeting, in the facts and at the end of the subject. */
type Letter = ReturnType<typeof writeLetter>;

export function writeLetter(
  type: MailedType,
  message: Pick<OutboxMessage, 'data' | 'timestamp'>,
  addressee: Addressee,
  publicUrl: string,
) {
  const { account, owner } = addressee;
  const occasion = occasionOf(type, message, addressee);
  const { keyName, prefix, service } = occasion;
  const { title, facts, ...words } = WORDS[type](occasion);
  const name = typedText(account.displayName);
  const ofAccount = service && `${service.name}${service.isForManager ? ', which you manage' : ''}`;
  return {
    ...words,
    subject: `${title}: ${keyName}`,
    heading: title,
    greeting: name ? `Hello ${name},` : 'Hello,',
    facts: [...fact('Account', ofAccount), ['Key', keyName], ['Begins with', prefix], ...facts] as const,
    /** The settings screen with the key opened. */
    url: `${publicUrl}/settings/api-keys?${service ? `account=${encodeURIComponent(owner.id)}&` : ''}key=${message.data.keyId}`,
    footer: `You get this mail because you ${service?.isForManager ? 'manage' : 'have'} API keys at ${new URL(publicUrl).host}.`,
  };
}

export function letterText(letter: Letter): string {
  const { happened, facts, advice, link, url } = letter;
  const paragraphs = [
    letter.greeting,
    happened,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    advice.join('\n'),
    `${link}:\n${url}`,
    // `-- ` is what mail programs recognize as the start of a signature.
    `-- \n${letter.footer}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 24px 16px; background: #ffffff; color: #1f2328;
    font: 16px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Arial, sans-serif; overflow-wrap: anywhere; }
  main, footer { max-width: 544px; margin: 0 auto; }
  h1 { font-size: 20px; line-height: 1.3; margin: 0 0 16px; }
  dl { margin: 16px 0; padding: 12px 16px; border: 1px solid #d1d9e0; border-radius: 6px; }
  dt { font-size: 14px; color: #59636e; }
  dd { margin: 0 0 8px; font-weight: 600; }
  dd:last-child { margin-bottom: 0; }
  dd a { color: inherit; }
  p a { display: inline-block; margin: 8px 0 16px; padding: 8px 16px; border-radius: 6px; background: #0b5cad; color: #ffffff;
    font-weight: 600; text-decoration: none; }
  footer { padding-top: 12px; border-top: 1px solid #d1d9e0; font-size: 14px; color: #59636e; }
  @media (prefers-color-scheme: dark) {
    body { background: #0d1117; color: #e6edf3; }
    dl, footer { border-color: #3d444d; }
    dt, footer { color: #a4adb8; }
  }`;

/** One column without tables, images or scripts. It loads nothing. */
export function letterHtml({ heading, greeting, happened, facts, advice, link, url, footer }: Letter): string {
  const rows = facts.map(([label, value, address]) => {
    const text = escaped(value);
    const shown = address ? `<a href="${escaped(address)}" rel="noopener noreferrer">${text}</a>` : text;
    return `<dt>${escaped(label)}</dt><dd><bdi>${shown}</bdi></dd>`;
  });
  const paragraphs = advice.map((each) => `<p>${escaped(each)}</p>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(heading)}</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>${escaped(heading)}</h1>
<p><bdi>${escaped(greeting)}</bdi></p>
<p>${escaped(happened)}</p>
<dl>
${rows.join('\n')}
</dl>
${paragraphs.join('\n')}
<p><a href="${escaped(url)}">${escaped(link)}</a></p>
</main>
<footer>${escaped(footer)}</footer>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

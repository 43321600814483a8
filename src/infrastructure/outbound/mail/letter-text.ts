import type { Letter } from './letter.js';

export function letterText({ greeting, happened, facts, advice, link, url, footer }: Letter): string {
  const paragraphs = [
    greeting,
    happened,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    advice.join('\n'),
    `${link}:\n${url}`,
    // What a mail program takes for the end of the text itself.
    `-- \n${footer}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

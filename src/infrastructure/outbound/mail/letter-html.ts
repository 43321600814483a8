import type { Letter } from './letter.js';

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

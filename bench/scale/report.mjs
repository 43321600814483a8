// The tables of docs/scale.md from what was measured: prints them, and with `--write` puts them into the page.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filled } from './tables/filled.mjs';

const page = fileURLToPath(new URL('../../docs/scale.md', import.meta.url));
const text = filled(readFileSync(page, 'utf8'));
if (process.argv.includes('--write')) writeFileSync(page, text);
else console.log(text);

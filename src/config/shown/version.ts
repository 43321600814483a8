import { readFileSync } from 'node:fs';

/** Of this Latchkey, as its package.json has it. */
export function version(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

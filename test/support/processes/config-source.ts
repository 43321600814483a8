import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';

/** All code that reads environment variables. */
export function configSource(): string {
  const folder = join(root, 'src/config');
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = all.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

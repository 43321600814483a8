import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';

/** Where an operator's proxy says which paths the world may reach. */
const LISTS = [
  'deploy/caddy/keys.Caddyfile',
  'deploy/compose/nginx.conf',
  'deploy/nginx/keys.conf',
  'deploy/helm/latchkey/templates/ingress.yaml',
];

const screen = join(root, 'web/src');
const code = readdirSync(screen, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(screen, path), 'utf8'))
  .join('\n');
/** Such as `/v1/api-keys`. */
const requested = new Set([...code.matchAll(/['"`](\/v1\/[a-z-]+)/g)].map(([, path]) => path!));

test.each(LISTS)('%s publishes every path that the settings screen requests', (file) => {
  expect(requested.size).toBeGreaterThan(2);
  const list = readFileSync(join(root, file), 'utf8')
    .split('\n')
    .find((line) => line.includes('v1/audit-events'))!;
  expect([...requested].filter((path) => !list.includes(path.slice(1)))).toEqual([]);
});

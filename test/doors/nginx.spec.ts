import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/lib/ports.mjs';
import { newOwner } from '../support/callers/owners.js';
import { startService } from '../support/processes/service.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { EchoBackend } from './echo-backend.js';
import { ROUTES, SYSTEMS } from './guarded-backend.js';
import { snippetOf } from '../support/reading/pages.js';
import { guarantees } from './guarantees.js';
import { recipeText, startProxy } from './recipe.js';
import { NGINX, withUserTokens } from './recipes.js';

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

describe.each([NGINX, withUserTokens(NGINX)])('$name before a backend', (recipe) => guarantees(recipe));

describe('deploy/forward-auth/nginx.conf', () => {
  test('grants the first request after both instances were away and one of them is back', async () => {
    const database = await createDatabase();
    const [one, two] = [String(await freePort()), String(await freePort())];
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const routes = join(folder, 'routes.json');
    writeFileSync(routes, ROUTES);
    const start = (HTTP_PORT: string) =>
      startService({ DATABASE_URL: database.url, HTTP_PORT, FORWARD_AUTH_ROUTES: routes });
    const instances = [await start(one), await start(two)];
    const backend = await EchoBackend.start();
    const addresses = { latchkey: `127.0.0.1:${one}`, second: `127.0.0.1:${two}`, backend: backend.address };
    const proxy = await startProxy(NGINX, addresses);
    try {
      const { fullKey } = await (await newOwner(instances[0]!)).person.newKey();
      const headers = { authorization: `Bearer ${fullKey}` };
      const status = async () => (await fetch(`${proxy.url}${SYSTEMS}`, { headers })).status;
      expect(await status()).toBe(200);
      for (const instance of instances.splice(0)) await instance.stop();
      for (let n = 0; n < 5; n += 1) expect(await status()).toBe(503);
      instances.push(await start(two));
      expect([await status(), await status(), await status()]).toEqual([200, 200, 200]);
    } finally {
      await proxy.stop();
      for (const instance of instances) await instance.stop();
      await backend.stop();
      await database.drop();
      rmSync(folder, { recursive: true });
    }
  });

  test('contains the lines that README shows', () => {
    const rest = linesOf(recipeText('nginx.conf'));
    for (const line of linesOf(snippetOf('README.md', 'One proxy', 'nginx'))) {
      expect(rest).toContain(line);
      rest.splice(0, rest.indexOf(line) + 1);
    }
  });
});

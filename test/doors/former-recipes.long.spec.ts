import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ATTRIBUTES } from './account-facts.js';
import { EchoBackend } from './echo-backend.js';
import { GuardedBackend, SYSTEMS } from './guarded-backend.js';
import { startProxy } from './recipe.js';
import { CADDY, HAPROXY, NGINX, withoutAttributes } from './recipes.js';

const CLAIM = 'tenant="somebody-else"';

/** An operator's copy of it may still be in use. CHANGELOG says which ones to replace first. */
describe.each([
  [NGINX, CLAIM],
  [CADDY, undefined],
  [HAPROXY, undefined],
])('the recipe of 0.2.0 for $name, when a client sends X-Latchkey-Attributes', (recipe, received) => {
  let door: GuardedBackend;
  beforeAll(async () => {
    door = await GuardedBackend.start(withoutAttributes(recipe));
  });
  afterAll(() => door.stop());

  test(received ? 'passes it on, so it must be replaced' : 'removes it, and passes no attributes on', async () => {
    for (const profile of [{}, { attributes: ATTRIBUTES }]) {
      const { id, person } = await door.newOwner(profile);
      const { fullKey } = await person.newKey();
      const { seen } = await door.send(fullKey, `GET ${SYSTEMS}`, [`X-Latchkey-Attributes: ${CLAIM}`]);
      expect([seen?.headers['x-latchkey-owner'], seen?.headers['x-latchkey-attributes']]).toEqual([id, received]);
    }
  });
});

/** Recipes are replaced before the service is upgraded. */
test.each([NGINX, CADDY, HAPROXY])(
  'the recipe for $name passes no attributes on while an instance of 0.2.0 answers, which sends none',
  async (recipe) => {
    const latchkey = createServer((_, response) => response.setHeader('X-Latchkey-Owner', 'owner-1').end());
    await new Promise<void>((resolve) => latchkey.listen(0, '127.0.0.1', resolve));
    const backend = await EchoBackend.start();
    const address = `127.0.0.1:${(latchkey.address() as AddressInfo).port}`;
    const proxy = await startProxy(recipe, { latchkey: address, backend: backend.address });
    try {
      const headers = { authorization: 'Bearer lk_key', 'X-Latchkey-Attributes': CLAIM };
      const answer = await fetch(`${proxy.url}${SYSTEMS}`, { headers });
      const { headers: seen } = (await answer.json()) as { headers: Record<string, string> };
      const { 'x-latchkey-owner': owner, 'x-latchkey-attributes': received = '' } = seen;
      expect([owner, received]).toEqual(['owner-1', '']);
    } finally {
      await proxy.stop();
      backend.stop();
      latchkey.close();
      latchkey.closeAllConnections();
    }
  },
);

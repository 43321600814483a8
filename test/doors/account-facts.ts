import { expect, test } from '@jest/globals';
import { parseDictionary } from 'structured-headers';
import { type GuardedBackend, SYSTEMS } from './guarded-backend.js';

/** What a proxy could change: text beyond ASCII, quotes, commas, and what its own configuration would replace. */
export const ATTRIBUTES = {
  items: [
    { name: 'tenant', value: 'acme' },
    { name: 'company', value: 'Dvořák & Söhne, 東京 🙂' },
    { name: 'note', value: String.raw`a "quoted\" text, $host {http.request.method} %[src] %25` },
    { name: 'empty', value: '' },
  ],
};

/** What the platform says of an account arrives at the backend and at the client. */
export function accountFacts(door: () => GuardedBackend): void {
  test('the backend reads the attributes of the account with a structured-field library', async () => {
    const { person } = await door().newOwner({ attributes: ATTRIBUTES });
    const { seen } = await door().send((await person.newKey()).fullKey, `GET ${SYSTEMS}`, [
      'X-Latchkey-Attributes: tenant="somebody-else"',
    ]);
    const read = parseDictionary(seen!.headers['x-latchkey-attributes'] as string);
    const pairs = [...read].map(([name, [value]]) => ({ name, value: String(value) }));
    expect(pairs).toEqual(ATTRIBUTES.items);
  });

  test('attributes of 2 KiB and permissions of 4 KiB arrive complete', async () => {
    const permissions = [
      'systems:read',
      ...Array.from({ length: 89 }, (_, n) => `systems/${'x'.repeat(30)}-${n}:read`),
    ];
    const items = Array.from({ length: 8 }, (_, n) => ({ name: `n${n}`, value: 'v'.repeat(248) }));
    const { person } = await door().newOwner({ permissions, attributes: { items } });
    const { status, seen } = await door().send((await person.newKey()).fullKey, `GET ${SYSTEMS}/${'x'.repeat(30)}-7`);
    expect([status, seen?.headers]).toMatchObject([
      200,
      {
        'x-latchkey-permissions': permissions.join(' '),
        'x-latchkey-attributes': items.map(({ name, value }) => `${name}="${value}"`).join(', '),
      },
    ]);
  });

  test('a key of an account with its own rate and burst shows these to the client', async () => {
    const { person } = await door().newOwner({ limits: { requestsPerSecond: 2, burst: 7 } });
    const { headers } = await door().send((await person.newKey()).fullKey, `GET ${SYSTEMS}`);
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual(['"key";q=7;w=4', '"key";r=6;t=1']);
  });
}

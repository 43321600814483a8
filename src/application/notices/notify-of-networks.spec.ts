import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ApiKey } from '../../domain/keys/api-key.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { KeyNetworks } from '../../domain/usage/key-networks.js';
import type { NetworkUse } from '../ports.js';
import { notifyOfNetworks } from './notify-of-networks.js';

const HOME = '192.0.2.0/24';
const CAFE = '198.51.100.0/24';
const TRAIN = '203.0.113.0/24';

function aKey(): ApiKey {
  const order = { id: randomUUID(), ownerId: 'u1', name: 'CI', access: 'read-only', expiresInDays: 90 } as const;
  return ApiKey.issue(order, KeyString.generate('lk'), new Date('2026-03-29T00:30:00Z'));
}

const use = ({ id: keyId }: ApiKey, network: string, day: number): NetworkUse => {
  const clientIp = network.replace('0/24', '7');
  return { keyId, clientIp, network, day };
};

/** For keys that were used only from home, on day 0. */
async function decide(keys: readonly ApiKey[], uses: readonly NetworkUse[]) {
  const known = () => KeyNetworks.restore({ lastDays: new Map([[HOME, 0]]), hasBegun: true, notifiedOn: null });
  const networks = new Map(keys.map(({ id }) => [id, known()]));
  const searches: (readonly string[])[] = [];
  const findKeys = async (ids: readonly string[]) => {
    searches.push(ids);
    return keys.filter(({ id }) => ids.includes(id));
  };
  return { notices: await notifyOfNetworks({ uses, networks, findKeys }), networks, searches };
}

describe('notifyOfNetworks', () => {
  test('notifies of a new network, with the address, but not of a known one', async () => {
    const key = aKey();
    const { notices } = await decide([key], [use(key, HOME, 1), use(key, CAFE, 1)]);
    expect(notices).toEqual([{ type: 'api_key.used_from_new_network', key, clientIp: '198.51.100.7' }]);
  });

  test('notifies once a day for each key, of the first network, in the order of the uses', async () => {
    const [one, other] = [aKey(), aKey()];
    const uses = [use(other, TRAIN, 1), use(one, CAFE, 1), use(one, TRAIN, 1), use(other, CAFE, 2)];
    const { notices } = await decide([one, other], uses);
    expect(notices.map(({ key, clientIp }) => [key, clientIp])).toEqual([
      [other, '203.0.113.7'],
      [one, '198.51.100.7'],
      [other, '198.51.100.7'],
    ]);
  });
});

test('keeps every used network, also those without a notice', async () => {
  const key = aKey();
  const { networks } = await decide([key], [use(key, CAFE, 1), use(key, TRAIN, 1)]);
  const lastDays = new Map([[CAFE, 1], [TRAIN, 1]]); // prettier-ignore
  expect(networks.get(key.id)!.changes()).toEqual({ lastDays, hasBegun: true, notifiedOn: 1 });
});

test('looks up keys only for notices', async () => {
  const [home, away] = [aKey(), aKey()];
  expect((await decide([home], [use(home, HOME, 1)])).searches).toEqual([]);
  const { searches } = await decide([home, away], [use(home, HOME, 1), use(away, CAFE, 1)]);
  expect(searches).toEqual([[away.id]]);
});

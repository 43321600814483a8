import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { LeaseHolder } from '../support/callers/lease-holder.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { LeaseChannel } from '../support/stores/lease-channel.js';
import { sql } from '../support/stores/sql.js';

const LEASE_MS = 10_000;
const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };

describe('Leases on ValidateKeys', () => {
  let service: Service;
  let channel: LeaseChannel;
  const holders: LeaseHolder[] = [];
  beforeAll(async () => {
    service = await startService({ ...UNLIMITED, LEASE_MS: String(LEASE_MS) });
    channel = await LeaseChannel.open(service.databaseUrl);
  });
  afterAll(async () => {
    await Promise.all(holders.map((each) => each.end()));
    await channel.close();
    await service.stop();
  });

  const hold = (onMessage?: ConstructorParameters<typeof LeaseHolder>[1]) => {
    const holder = new LeaseHolder(service, onMessage);
    holders.push(holder);
    return holder;
  };
  const newKey = async (order: object = {}) => {
    const { id: ownerId, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey(order);
    return { ownerId, person, keyId: apiKey.id, fullKey };
  };
  const isAcknowledged = (id: string) => eventually(async () => channel.acknowledged.includes(id));

  test('come with a grant, with what the guard needs to judge each use', async () => {
    const { fullKey } = await newKey({ permissions: ['systems:read'], allowedNetworks: ['192.0.2.0/24'] });
    const holder = hold();
    const lease = await holder.wishUntilGiven(fullKey, 7, { clientIp: '192.0.2.1' });
    expect(lease).toEqual({
      id: expect.any(String),
      lengthMs: LEASE_MS,
      uses: 7,
      hasOwnPermissions: true,
      allowedNetworks: ['192.0.2.0/24'],
    });
    const next = await holder.wish((await newKey()).fullKey);
    expect(next).toMatchObject({ hasOwnPermissions: false, allowedNetworks: [] });
    expect(Number(next!.id)).toBeGreaterThan(Number(lease.id));
  });

  test('come to nobody who does not wish for one, and to nobody without a grant', async () => {
    const { fullKey } = await newKey();
    const holder = hold();
    await holder.wishUntilGiven(fullKey);
    expect((await holder.validate(fullKey)).lease).toBeNull();
    expect(await holder.wish(fullKey, 1, { permission: 'billing:write' })).toBeNull();
    expect(await holder.wish(fullKey, 0)).toBeNull();
    const leaseWish = { uses: 1, understands: [] };
    expect(await service.clients.validate(fullKey, { leaseWish })).toMatchObject({ outcome: 'grant', lease: null });
  });

  test('come on no key with a restriction that the guard does not know', async () => {
    const [restricted, free] = [await newKey({ permissions: ['systems:read'] }), await newKey()];
    const holder = hold();
    await holder.wishUntilGiven(restricted.fullKey);
    const leaseWish = { uses: 1, understands: ['KEY_RESTRICTION_NETWORKS' as const] };
    expect(await holder.wish(restricted.fullKey, 1, { leaseWish })).toBeNull();
    expect(await holder.wish(free.fullKey, 1, { leaseWish })).not.toBeNull();
  });

  test('come again only when a fenced registration was replaced', async () => {
    const { fullKey } = await newKey();
    const holder = hold();
    await holder.wishUntilGiven(fullKey);
    await sql(service.databaseUrl, `UPDATE lease_registrations SET fence = gen_random_uuid()`);
    expect(await holder.wish(fullKey)).toBeNull();
    await holder.wishUntilGiven(fullKey);
  });

  test('come on a successor only after its first use, and on its predecessor for no longer than the grace', async () => {
    const { fullKey, keyId, person } = await newKey();
    const holder = hold();
    await holder.wishUntilGiven(fullKey);
    const { body } = await person.rotate(keyId, { graceSeconds: 3 });
    expect(await holder.wish(fullKey)).toMatchObject({ lengthMs: 3000 });
    expect(await holder.wish(body.fullKey)).toBeNull();
    expect(await holder.wish(body.fullKey)).toMatchObject({ lengthMs: LEASE_MS });
    expect((await holder.wish(fullKey))!.lengthMs).toBeLessThanOrEqual(3000);
  });

  test('are recalled on the stream that has them, and the change is acknowledged once they are given back', async () => {
    const [{ fullKey, ownerId }, other] = [await newKey(), await newKey()];
    const [one, two] = [hold(), hold()];
    const ofOne = [await one.wishUntilGiven(fullKey), await one.wish(fullKey)].map((lease) => lease!.id);
    const ofTwo = (await two.wish(fullKey))!.id;
    await one.wish(other.fullKey);
    const id = await channel.notify(ownerId);
    await eventually(async () => one.recalls.length > 0 && two.recalls.length > 0);
    expect([one.recalls, two.recalls]).toEqual([[ofOne], [[ofTwo]]]);
    one.report({ givenBack: [...ofOne, ofTwo] });
    await one.validate(fullKey);
    expect(channel.acknowledged).not.toContain(id);
    two.report({ givenBack: [ofTwo] });
    await isAcknowledged(id);
  });

  test('that nobody gives back are waited for until their length and 2 % have passed', async () => {
    const { fullKey, keyId, ownerId, person } = await newKey();
    await person.rotate(keyId, { graceSeconds: 1 });
    const begun = performance.now();
    const holder = hold();
    expect(await holder.wishUntilGiven(fullKey)).toMatchObject({ lengthMs: 1000 });
    await holder.end();
    await isAcknowledged(await channel.notify(ownerId));
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1020);
  });

  test('of another owner are no reason to wait', async () => {
    const { fullKey } = await newKey();
    const holder = hold();
    await holder.wishUntilGiven(fullKey);
    await isAcknowledged(await channel.notify('another'));
    expect(holder.recalls).toEqual([]);
  });

  test('of one owner, 10,000 of them, are recalled by one message', async () => {
    const { fullKey, ownerId } = await newKey();
    const holder = hold();
    await holder.wishUntilGiven(fullKey);
    await Promise.all(Array.from({ length: 9999 }, () => holder.wish(fullKey)));
    const id = await channel.notify(ownerId);
    await eventually(async () => holder.recalls.length > 0);
    // The next answer follows all recalls.
    await holder.validate(fullKey);
    const recalled = holder.recalls.flat();
    expect(new Set(recalled).size).toBe(recalled.length);
    expect(holder.recalls.length).toBe(1);
    for (const ids of holder.recalls) holder.report({ givenBack: [...ids] });
    await isAcknowledged(id);
  });

  test('never arrive after the acknowledgement of a change that they do not show', async () => {
    const { fullKey, ownerId } = await newKey();
    let [version, answered, late, isDone] = [0, 0, 0, false];
    const holder = hold(({ recall, lease, grant }) => {
      if (recall) holder.report({ givenBack: recall.ids });
      if (lease && Number(/\d+/.exec(grant!.permissions.join()) ?? 0) < answered) late += 1;
    });
    await holder.wishUntilGiven(fullKey);
    const busy = Array.from({ length: 40 }, async () => {
      while (!isDone) await holder.wish(fullKey);
    });
    for (version = 1; version <= 40; version += 1) {
      const permissions = `UPDATE accounts SET permissions = ARRAY[$1] WHERE id = $2`;
      await sql(service.databaseUrl, permissions, [`systems-${version}:read`, ownerId]);
      await isAcknowledged(await channel.notify(ownerId));
      answered = version;
    }
    isDone = true;
    await Promise.all(busy);
    expect([late, holder.recalls.length > 20]).toEqual([0, true]);
  });

  test('are counted in the last use, the addresses and the day of the key once their uses are reported', async () => {
    const [{ fullKey, keyId, person }, holder] = [await newKey(), hold()];
    await holder.wishUntilGiven(fullKey);
    const uses = { keyId, clientIp: '192.0.2.9', count: 41, lastMsAgo: 5 };
    const unknown = ['no-key', '00000000-0000-4000-8000-000000000000'].map((each) => ({ ...uses, keyId: each }));
    holder.report({ uses: [...unknown, uses, { ...uses, clientIp: '', count: 2 }] });
    const granted = holder.messages.length + 43;
    const shown = await eventually(async () => {
      const { body } = await person.call('GET', `/v1/api-keys/${keyId}`);
      const isCounted = body.days.some((day: { granted: number }) => day.granted === granted);
      // The parts of the answer are read one after the other, while uses are being written.
      return isCounted && body.uses.length > 0 && body.lastUsedAt >= body.uses[0].lastAt && body;
    });
    expect(shown.uses).toMatchObject([{ clientIp: '192.0.2.9', service: 'dev-validator' }]);
  });

  test('appear in the metrics', async () => {
    const names = ['given_total', 'held', 'recalled_total'].map((each) => `latchkey_leases_${each}`);
    const page = await readMetrics(service.url);
    for (const name of [...names, 'latchkey_lease_uses_total', 'latchkey_lease_uses_spent_total']) {
      expect([name, page.sum(name) > 0]).toEqual([name, true]);
    }
  });
});

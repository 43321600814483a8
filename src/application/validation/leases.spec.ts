import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, rotateKey } from '#test/support/application/calls.js';
import type { KeyReading, KeyUsage } from '../validation-ports.js';
import { ValidateKey, type ValidationRequest } from './validate-key.js';
import { type ReportedUses, ReportUses } from './report-uses.js';

describe('A validation that wishes for a lease', () => {
  const LIMIT = { perSecond: 1, burst: 10 };
  const app = openFakes({ settings: { rateLimit: LIMIT } });
  const FOR_LEASE = { longestLeaseMs: 2000, graceSeconds: null };
  const WISH = { understands: new Set(['permissions', 'networks']), uses: 4 };

  /** @param forLease what was read with each key */
  function validating(forLease: KeyReading['forLease'] | null = FOR_LEASE) {
    const read = async (publicPart: string) => {
      const reading = await app.keyReader.read(publicPart);
      return forLease ? { ...reading, forLease } : reading;
    };
    const parts = { ...app, keyReader: { read }, keyPrefix: 'lk', importPrefixes: [], leaseMs: 1500 };
    const validateKey = new ValidateKey(parts);
    const question = { operation: 'read', permission: '', clientAddress: '192.0.2.1' } as const;
    return (credential: string, request: Partial<ValidationRequest> = {}) =>
      validateKey.execute({ credential, question, client: client(), leaseWish: WISH, ...request });
  }
  const validate = validating();
  const newKey = async (part = {}) => createKey(app, (await newOwner(app)).id, part);

  test('offers one with the rights of the key, and its uses are charged', async () => {
    const { key, fullKey } = await newKey({ permissions: ['systems:read'], allowedNetworks: ['192.0.2.0/24'] });
    const { lease, rate } = await validate(fullKey);
    expect(lease).toEqual({
      lengthMs: 1500,
      uses: 4,
      rights: {
        access: key.snapshot().access,
        permissions: ['systems:read'],
        hasSubset: true,
        allowedNetworks: ['192.0.2.0/24'],
      },
    });
    expect(rate).toMatchObject({ admitted: true, remaining: 9 });
    expect((await validate(fullKey, { leaseWish: undefined })).rate).toMatchObject({ remaining: 4 });
    expect((await validate(fullKey)).lease).toMatchObject({ uses: 1 });
  });

  test('offers none, and charges only itself, where nothing more can be charged', async () => {
    const { fullKey } = await newKey();
    for (let n = 0; n < 9; n += 1) await validate(fullKey, { leaseWish: undefined });
    const validation = await validate(fullKey);
    expect(validation).toMatchObject({ verdict: { granted: true }, rate: { usesAhead: 0 } });
    expect(validation).not.toHaveProperty('lease');
  });

  const REFUSED = { question: { operation: 'write', permission: 'billing:write' } } as const;
  test.each<[string, KeyReading['forLease'] | null, Partial<ValidationRequest>]>([
    ['where this process gives none', null, {}],
    ['where no process is known that serves', { longestLeaseMs: null, graceSeconds: null }, {}],
    ['where the successor ends the key soon after its first use', { longestLeaseMs: 2000, graceSeconds: 60 }, {}],
    [
      'if the guard does not know a restriction',
      FOR_LEASE,
      { leaseWish: { ...WISH, understands: new Set(['networks']) } },
    ],
    ['without a wish', FOR_LEASE, { leaseWish: undefined }],
    ['with a refusal', FOR_LEASE, REFUSED],
  ])('offers none %s, and charges no uses', async (_why, forLease, request) => {
    const { fullKey } = await newKey({ permissions: ['systems:read'] });
    const validation = await validating(forLease)(fullKey, request);
    expect(validation).not.toHaveProperty('lease');
    expect(validation.rate).not.toHaveProperty('usesAhead');
    expect((await validate(fullKey)).rate).toMatchObject({ remaining: 8 });
  });

  test('offers none with the first use of a successor, and one with the next', async () => {
    const { key } = await newKey();
    const { fullKey } = await rotateKey(app, key);
    expect(await validate(fullKey)).not.toHaveProperty('lease');
    expect((await validate(fullKey)).lease).toMatchObject({ uses: 4 });
  });
});

describe('ReportUses', () => {
  const LIMIT = { perSecond: 2, burst: 10 };

  function opened() {
    const app = openFakes({ settings: { rateLimit: LIMIT } });
    const clock = { ms: 0 };
    const noted: unknown[] = [];
    const noteGrant: KeyUsage['noteGrant'] = (keyId, clientIp, service, at, used, count) =>
      void noted.push({ keyId, clientIp, service, at, used, count });
    const usage = { ...app.usage, noteGrant };
    const parts = { ...app, usage, keyPrefix: 'lk', importPrefixes: [] };
    const reporting = new ReportUses(parts, () => clock.ms);
    const report = (credential: string | undefined, count: number, lastMsAgo = 0, part: Partial<ReportedUses> = {}) =>
      reporting.execute(
        [{ credential, clientIp: '192.0.2.9', count, lastMsAgo, permission: null, operation: 'read', ...part }],
        'billing',
      );
    return { app, clock, noted, reporting, report };
  }

  test('Uses count for the key that the reporter shows, as of when they were', async () => {
    const { app, noted, report, reporting } = opened();
    const { fullKey, key } = await createKey(app, (await newOwner(app)).id);
    await report(fullKey, 3, 400);
    await report(fullKey, 1, 4_000_000_000);
    const now = app.store.now().getTime();
    const uses = { keyId: key.id, clientIp: '192.0.2.9', service: 'billing', used: 'unknown' };
    expect(noted).toEqual([
      { ...uses, count: 3, at: new Date(now - 400) },
      { ...uses, count: 1, at: new Date(now - 10_000) },
    ]);
    expect(reporting.counts).toEqual({ reported: 4, dropped: 0 });
  });

  test('Uses count for a permission of the key only, and for the operation where none was needed', async () => {
    const { app, noted, report } = opened();
    const { id } = await newOwner(app, { permissions: ['systems:read'] });
    const { fullKey } = await createKey(app, id);
    for (const permission of ['systems:read', 'systems/1:read', 'made:up', '', null])
      await report(fullKey, 1, 0, { permission });
    await report(fullKey, 1, 0, { permission: '', operation: undefined });
    const used = ['systems:read', 'unknown', 'unknown', 'read', 'unknown', 'unknown'];
    expect(noted).toMatchObject(used.map((each) => ({ used: each })));
  });

  test('Uses of a credential that proves no key are dropped and counted', async () => {
    const { app, noted, report, reporting } = opened();
    const { fullKey } = await createKey(app, (await newOwner(app)).id);
    const { fullKey: other } = await createKey(app, (await newOwner(app)).id);
    const [own, stranger] = [fullKey.split('.'), other.split('.')];
    for (const credential of [undefined, 'lk_nonsense', `${own[0]}.${stranger[1]}`]) await report(credential, 5);
    expect([noted, reporting.counts]).toEqual([[], { reported: 0, dropped: 15 }]);
  });

  test('In any 3 s, a key gets no more uses than its burst and 4 s of its rate', async () => {
    const { app, noted, report, reporting, clock } = opened();
    const { fullKey } = await createKey(app, (await newOwner(app)).id);
    for (; clock.ms <= 3000; clock.ms += 100) await report(fullKey, 4_294_967_295);
    const counted = noted.reduce<number>((sum, uses) => sum + (uses as { count: number }).count, 0);
    expect(counted).toBe(LIMIT.burst + 4 * LIMIT.perSecond);
    expect(reporting.counts.reported).toBe(counted);
    clock.ms += 60_000;
    await report(fullKey, 7);
    expect(noted.at(-1)).toMatchObject({ count: 7 });
  });

  test('A burst that the limit admitted is counted whole, for each key by itself', async () => {
    const { app, noted, report } = opened();
    const keys = [await createKey(app, (await newOwner(app)).id), await createKey(app, (await newOwner(app)).id)];
    for (const { fullKey } of keys) await report(fullKey, LIMIT.burst + LIMIT.perSecond);
    expect(noted).toMatchObject([{ count: 12 }, { count: 12 }]);
  });
});

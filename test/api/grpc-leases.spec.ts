import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ReportUsesRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ReportUsesRequest.js';
import type { ValidateKeyRequest as Request } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output as Response } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { type Service, startService } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { sql } from '../support/stores/sql.js';

const LIMIT = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1000' };
const WISH = { uses: 7, understands: ['KEY_RESTRICTION_PERMISSIONS', 'KEY_RESTRICTION_NETWORKS'] } as const;

describe('Leases over gRPC', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ ...LIMIT, LEASE_MS: '500' });
  });
  afterAll(() => service?.stop());

  const newKey = async (order: object = {}) => {
    const { id: ownerId, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey(order);
    return { ownerId, person, keyId: apiKey.id, fullKey };
  };
  const onStream = (request: Request) =>
    new Promise<Response>((resolve, reject) => {
      const call = service.clients.apiKeys.validateKeys(bearer('dev-validator-token'));
      call.on('error', reject);
      call.once('data', (answer: Response) => {
        resolve(answer);
        call.end();
      });
      call.write(request);
    });
  const wishing = (apiKey: string, request: Request = {}): Request => ({
    apiKey,
    operation: 'OPERATION_READ',
    leaseWish: { ...WISH, understands: [...WISH.understands] },
    ...request,
  });
  const wish = async (apiKey: string, request: Request = {}) =>
    (await service.clients.validateRequest(wishing(apiKey, request))).lease;
  const report = (uses: ReportUsesRequest['uses'], token = 'dev-validator-token') =>
    new Promise<void>((resolve, reject) =>
      service.clients.apiKeys.reportUses({ uses: uses! }, bearer(token), (error) =>
        error ? reject(error) : resolve(),
      ),
    );

  test.each<[string, (request: Request) => Promise<Response>]>([
    ['a call', (request) => service.clients.validateRequest(request)],
    ['a stream', onStream],
  ])('come with a grant over %s, with what a guard needs to judge each use', async (_door, validate) => {
    const { fullKey } = await newKey({ permissions: ['systems:read'], allowedNetworks: ['192.0.2.0/24'] });
    const { lease } = await validate(wishing(fullKey, { clientIp: '192.0.2.1' }));
    expect(lease).toEqual({ lengthMs: 500, uses: 7, hasOwnPermissions: true, allowedNetworks: ['192.0.2.0/24'] });
    const free = await validate(wishing((await newKey()).fullKey));
    expect(free.lease).toMatchObject({ hasOwnPermissions: false, allowedNetworks: [] });
  });

  test('come to nobody who does not wish for one, and to nobody without a grant', async () => {
    const { fullKey } = await newKey({ permissions: ['systems:read'] });
    expect(await wish(fullKey, { leaseWish: null })).toBeNull();
    expect(await wish(fullKey, { permission: 'billing:write' })).toBeNull();
    expect(await wish(fullKey, { leaseWish: { ...WISH, uses: 0, understands: [...WISH.understands] } })).toBeNull();
    expect(await wish(fullKey, { leaseWish: { uses: 1, understands: ['KEY_RESTRICTION_NETWORKS'] } })).toBeNull();
    expect(await wish(fullKey)).not.toBeNull();
  });

  test('take at most half of what is left of the limit, whatever a guard wishes for', async () => {
    const { fullKey } = await newKey();
    const greedy = { leaseWish: { uses: 4_294_967_295, understands: [...WISH.understands] } };
    const { lease, rateLimit } = await service.clients.validateRequest(wishing(fullKey, greedy));
    expect([lease!.uses, rateLimit!.remaining]).toEqual([499, 999]);
    expect((await service.clients.validate(fullKey)).outcome).toBe('grant');
  });

  test('come on a key that is being rotated only once its end is set, and never outlast that end', async () => {
    const { fullKey, keyId, person } = await newKey();
    const { body } = await person.rotate(keyId, { graceSeconds: 599 });
    expect(await wish(fullKey)).toBeNull();
    expect(await wish(body.fullKey)).toBeNull();
    expect(await wish(body.fullKey)).toMatchObject({ lengthMs: 500 });
    expect(await wish(fullKey)).toMatchObject({ lengthMs: 500 });
    await sql(service.databaseUrl, `UPDATE api_keys SET ends_at = now() + interval '400 ms' WHERE id = $1`, [keyId]);
    const lease = await wish(fullKey);
    // On a busy machine the key may be near its end by now: then there is none.
    expect(lease?.lengthMs ?? 0).toBeLessThanOrEqual(360);
  });

  test('come only while a process is known that serves', async () => {
    const { fullKey } = await newKey();
    const renewed = (interval: string) =>
      sql(service.databaseUrl, `UPDATE instances SET renewed_at = now() - $1::interval`, [interval]);
    await renewed('10 minutes');
    expect(await wish(fullKey)).toBeNull();
    await renewed('0 minutes');
    expect(await wish(fullKey)).not.toBeNull();
  });

  test('are counted in the last use, the addresses and the day of the key that a report shows', async () => {
    const { fullKey, keyId, person } = await newKey();
    const uses = { clientIp: '192.0.2.9', count: 41, lastMsAgo: 5 };
    await report([
      { ...uses, apiKey: `lk_${randomBytes(12).toString('hex')}.${'0'.repeat(64)}` },
      { ...uses, authorization: `Bearer ${fullKey}`, permission: 'systems:read', operation: 'OPERATION_READ' },
      { ...uses, apiKey: fullKey, clientIp: 'nonsense', count: 2 },
    ]);
    const shown = await eventually(async () => {
      const { body } = await person.call('GET', `/v1/api-keys/${keyId}`);
      const isCounted = body.days.some((day: { granted: number }) => day.granted === 43);
      // The parts of the answer are read one after the other, while uses are being written.
      return isCounted && body.uses.length > 0 && body.lastUsedAt >= body.uses[0].lastAt && body;
    });
    expect(shown.uses).toMatchObject([{ clientIp: '192.0.2.9', service: 'dev-validator' }]);
  });

  test('are reported by validators only, at most 200 entries at once', async () => {
    const { fullKey } = await newKey();
    const entries = (length: number) => Array.from({ length }, () => ({ apiKey: fullKey, count: 1 }));
    await report(entries(200));
    await expect(report(entries(201))).rejects.toMatchObject({ code: 3, details: expect.stringContaining('200') });
    await expect(report(entries(1), 'dev-accounts-token')).rejects.toMatchObject({ code: 7 });
    await expect(report(entries(1), 'nobody')).rejects.toMatchObject({ code: 16 });
  });

  test('appear in the metrics, with the processes that serve', async () => {
    const page = await readMetrics(service.url);
    for (const name of ['leases_given', 'lease_uses_charged', 'lease_uses_reported', 'lease_uses_dropped']) {
      expect([name, page.sum(`latchkey_${name}_total`) > 0]).toEqual([name, true]);
    }
    expect(page.sum('latchkey_instances')).toBe(1);
  });
});

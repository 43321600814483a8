import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ValidateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import { secondsOf, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const BURST = 2;
const UNAUTHENTICATED = { httpStatus: 401, message: 'invalid api key' };
const FORBIDDEN = { httpStatus: 403, message: 'operation not allowed' };

/** Possible faults of a request, in the order of judgement, with the answer to each. */
const FAULTS = [
  ['wrong secret', { reason: 'REASON_INVALID_KEY', ...UNAUTHENTICATED }],
  ['revoked', { reason: 'REASON_REVOKED', ...UNAUTHENTICATED }],
  ['expired', { reason: 'REASON_EXPIRED', ...UNAUTHENTICATED }],
  ['owner suspended', { reason: 'REASON_OWNER_SUSPENDED', ...UNAUTHENTICATED }],
  ['owner deleted', { reason: 'REASON_OWNER_DELETED', ...UNAUTHENTICATED }],
  ['address not allowed', { reason: 'REASON_ADDRESS_NOT_ALLOWED', ...FORBIDDEN }],
  ['limit exhausted', { reason: 'REASON_RATE_LIMITED', httpStatus: 429, message: 'too many requests' }],
  ['operation closed to keys', { reason: 'REASON_OPERATION_NOT_ALLOWED', ...FORBIDDEN }],
  ['read-only key', { reason: 'REASON_READ_ONLY_KEY', ...FORBIDDEN }],
  ['permission missing', { reason: 'REASON_MISSING_PERMISSION', ...FORBIDDEN }],
] as const;
type Fault = (typeof FAULTS)[number][0];
type Faults = ReadonlySet<Fault>;

/** A fault and those after it. An owner has one status: a deleted owner is left out unless it is the first fault. */
const laterThan = (index: number) =>
  FAULTS.slice(index)
    .map(([fault]) => fault)
    .filter((fault, at) => at === 0 || fault !== 'owner deleted');

describe('the verdict', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) });
  });
  afterAll(() => service.stop());

  /** A key with all of these faults, and a request that shows them. */
  async function faultyRequest(faults: Faults): Promise<ValidateKeyRequest> {
    const owner = await newOwner(service);
    const access = faults.has('read-only key') ? 'read-only' : 'read-and-write';
    const allowedNetworks = ['203.0.113.0/24'];
    const { apiKey, fullKey } = await owner.person.newKey({ access, allowedNetworks });
    if (faults.has('revoked')) expect((await owner.person.revoke(apiKey.id)).status).toBe(200);
    if (faults.has('expired')) {
      await sql(service.databaseUrl, `UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`, [
        apiKey.id,
      ]);
    }
    if (faults.has('owner suspended')) await service.clients.account('SuspendAccount', owner.id);
    if (faults.has('owner deleted')) await service.clients.account('DeleteAccount', owner.id);
    if (faults.has('limit exhausted')) await exhaust(fullKey);
    return {
      apiKey: faults.has('wrong secret') ? withWrongSecret(fullKey) : fullKey,
      operation: faults.has('operation closed to keys') ? 'OPERATION_DESTROY' : 'OPERATION_WRITE',
      permission: faults.has('permission missing') ? 'reports:write' : 'systems:write',
      clientIp: faults.has('address not allowed') ? '198.51.100.9' : '203.0.113.9',
    };
  }

  /** Uses the key's limit up, until at least half a second must pass before the next request is admitted. */
  async function exhaust(fullKey: string): Promise<void> {
    for (;;) {
      const { rateLimit } = await service.clients.validate(fullKey, { clientIp: '203.0.113.9' });
      if (rateLimit!.remaining === 0 && secondsOf(rateLimit!.resetAfter) > BURST - 0.5) return;
    }
  }

  test.each(FAULTS.map(([fault, expected]) => ({ fault, expected })))(
    'is $expected.reason for $fault',
    async ({ fault, expected }) => {
      const { denial, grant } = await service.clients.validateRequest(await faultyRequest(new Set([fault])));
      expect(grant).toBeUndefined();
      expect(denial).toMatchObject(expected);
    },
  );

  test.each(FAULTS.map(([fault, expected], index) => ({ fault, expected, faults: laterThan(index) })))(
    'names $fault before all later faults: $faults',
    async ({ expected, faults }) => {
      const { denial, grant } = await service.clients.validateRequest(await faultyRequest(new Set(faults)));
      expect(grant).toBeUndefined();
      expect(denial).toMatchObject(expected);
    },
  );

  test('is a grant with the key, its owner, its access, its permissions and its expiry', async () => {
    const owner = await newOwner(service);
    const { apiKey, fullKey } = await owner.person.newKey({ access: 'read-and-write', expiresInDays: 7 });
    const { grant, denial } = await service.clients.validate(fullKey, { operation: 'OPERATION_WRITE' });
    expect(denial).toBeUndefined();
    const { expiresAt, ...rest } = grant!;
    expect(rest).toEqual({
      keyId: apiKey.id,
      ownerId: owner.id,
      access: 'ACCESS_LEVEL_READ_AND_WRITE',
      permissions: ['systems:read', 'systems:write'],
      attributes: [],
    });
    expect(Number(expiresAt!.seconds) * 1000 + expiresAt!.nanos / 1e6).toBe(Date.parse(String(apiKey.expiresAt)));
  });

  test.each(['REVOKED', 'EXPIRED', 'OWNER_SUSPENDED', 'OWNER_DELETED'])(
    'hides %s, the owner and the rate limit until the secret is proven',
    async (reason) => {
      const fault = FAULTS.find(([, { reason: known }]) => known === `REASON_${reason}`)![0];
      const request = await faultyRequest(new Set([fault]));
      const guess = { ...request, apiKey: withWrongSecret(request.apiKey!) };
      const unproven = await service.clients.validateRequest(guess);
      expect(unproven.denial).toMatchObject({ reason: 'REASON_INVALID_KEY', keyId: '', ownerId: '' });
      expect(unproven.rateLimit).toBeNull();
      const proven = await service.clients.validateRequest(request);
      const named = { keyId: expect.stringMatching(/^[\da-f-]{36}$/), ownerId: expect.stringMatching(/./) };
      expect(proven.denial).toMatchObject({ reason: `REASON_${reason}`, ...named });
      expect(proven.rateLimit).toMatchObject({ limit: BURST });
    },
  );

  test.each(['DESTROY', 'MANAGE_API_KEYS', 'MANAGE_ACCOUNT', 'IMPERSONATE'] as const)(
    'denies %s to every key, regardless of its access level and its owner',
    async (name) => {
      const permissions = ['systems:read', 'systems:write', 'systems:delete', 'users:impersonate', 'account:manage'];
      const owner = await newOwner(service, { permissions });
      for (const access of ['read-only', 'read-and-write']) {
        const { fullKey } = await owner.person.newKey({ access });
        const { denial } = await service.clients.validate(fullKey, { operation: `OPERATION_${name}` });
        expect(denial).toMatchObject({ reason: 'REASON_OPERATION_NOT_ALLOWED', ...FORBIDDEN, retryAfter: null });
      }
    },
  );
});

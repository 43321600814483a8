import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, rotateKey } from '#test/support/application/calls.js';
import type { KeyReading } from '../ports.js';
import { ValidateKey, type ValidationRequest } from './validate-key.js';

const LIMIT = { perSecond: 1, burst: 10 };
const app = openFakes({ rateLimit: LIMIT });
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

describe('A validation that wishes for a lease', () => {
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

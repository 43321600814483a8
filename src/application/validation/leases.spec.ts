import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { client, createKey, newOwner, rotateKey } from '../../../test/support/application/calls.js';
import type { KeyReading } from '../ports.js';
import { ValidateKey, type ValidationRequest } from './validate-key.js';

const LIMIT = { perSecond: 1, burst: 10 };
const app = openFakes({ rateLimit: LIMIT });
const OWN = { leaseMs: 2000, fence: null };
const WISH = { stream: {}, arrivedAtMs: 0, understands: new Set(['permissions', 'networks']), uses: 4 };

/** @param forLease what was read with each key */
function validating(forLease: KeyReading['forLease'] | null = { own: OWN, graceSeconds: null }) {
  const read = async (publicPart: string) => {
    const reading = await app.keyReader.read(publicPart);
    return forLease ? { ...reading, forLease } : reading;
  };
  const validateKey = new ValidateKey({ ...app, keyReader: { read }, keyPrefix: 'lk', importPrefixes: [] });
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
      ownerId: key.ownerId,
      lengthMs: 2000,
      uses: 4,
      rights: {
        access: key.snapshot().access,
        permissions: ['systems:read'],
        hasSubset: true,
        allowedNetworks: ['192.0.2.0/24'],
      },
    });
    expect(rate).toMatchObject({ admitted: true, remaining: 9 });
    expect((await validate(fullKey, { leaseWish: undefined as never })).rate).toMatchObject({ remaining: 4 });
    expect((await validate(fullKey)).lease).toMatchObject({ uses: 3 });
    expect(await validate(fullKey)).toMatchObject({ verdict: { reason: 'rate-limited' } });
  });

  test('offers none, and charges only itself, where nothing more can be charged', async () => {
    const { fullKey } = await newKey();
    for (let n = 0; n < 9; n += 1) await validate(fullKey, { leaseWish: undefined as never });
    const validation = await validate(fullKey);
    expect(validation).toMatchObject({ verdict: { granted: true }, rate: { usesAhead: 0 } });
    expect(validation).not.toHaveProperty('lease');
  });

  const REFUSED = { question: { operation: 'write', permission: 'billing:write' } } as const;
  test.each<[string, KeyReading['forLease'] | null, Partial<ValidationRequest>]>([
    ['where this process gives none', null, {}],
    ['without a registration', { own: undefined, graceSeconds: null }, {}],
    ['with a fenced registration', { own: { ...OWN, fence: 'f1' }, graceSeconds: null }, {}],
    ['where the successor ends the key at its first use', { own: OWN, graceSeconds: 0 }, {}],
    [
      'if the guard does not know a restriction',
      { own: OWN, graceSeconds: null },
      { leaseWish: { ...WISH, understands: new Set(['networks']) } },
    ],
    ['without a wish', { own: OWN, graceSeconds: null }, { leaseWish: undefined as never }],
    ['with a refusal', { own: OWN, graceSeconds: null }, REFUSED],
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

  test('ends before the key does', async () => {
    const { fullKey } = await newKey();
    expect((await validating({ own: OWN, graceSeconds: 1 })(fullKey)).lease).toMatchObject({ lengthMs: 1000 });
  });
});

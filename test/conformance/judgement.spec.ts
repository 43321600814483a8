import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createGuard, type Guard, type Operation, type Question as GuardQuestion } from '@latchkey/guard';
import { ScriptedLatchkey } from '../../clients/node/src/testing/scripted-latchkey.js';
import { root } from '../../scripts/lib/paths.mjs';
import { NO_ENTITLEMENTS } from '#domain/accounts/entitlements.js';
import type { AccessLevel } from '#domain/accounts/access-level.js';
import { denialBy } from '#domain/keys/key-rights.js';
import { NEVER_PAUSED } from '#domain/keys/key-status.js';
import { KeyStanding } from '#domain/keys/key-standing.js';
import type { Question } from '#domain/keys/verdict.js';
import { clientFacts } from '#infrastructure/inbound/shared/request-facts.js';
import { newOwner } from '../support/callers/owners.js';
import { type Service, sharedService } from '../support/processes/service.js';

interface Case {
  readonly name: string;
  readonly key: {
    readonly access: AccessLevel;
    readonly owned: readonly string[];
    readonly subset: readonly string[] | null;
    readonly networks: readonly string[] | null;
    readonly maxAccess: AccessLevel | null;
  };
  readonly request: Question;
  readonly refusal: string | null;
}
const table = readFileSync(`${root}/clients/conformance/judgement.json`, 'utf8');
const { cases } = JSON.parse(table) as { readonly cases: readonly Case[] };

/** The leases of the guard last as long as the suite. */
const STILL = { wall: () => 0, monotonic: () => 0 };
const NOW = new Date('2026-03-29T00:30:00.000Z');

let service: Service;
let scripted: ScriptedLatchkey;
let guard: Guard;
beforeAll(async () => {
  service = await sharedService();
  scripted = new ScriptedLatchkey();
  await scripted.start();
  guard = createGuard({ ...scripted.options, serviceToken: 'token', leases: true }, STILL);
});
afterAll(async () => {
  guard.close();
  scripted.stop();
  await service.stop();
});

function standing({ access, owned, subset, networks, maxAccess }: Case['key']): KeyStanding {
  const expiresAt = new Date(NOW.getTime() + 1000);
  const times = {
    expiresAt,
    createdAt: NOW,
    revokedAt: null,
    expiredAt: null,
    endsAt: null,
    awaitsUse: false,
  };
  const limits = maxAccess ? { maxAccess } : {};
  const owner = { ...NO_ENTITLEMENTS, status: 'active', permissions: owned, limits } as const;
  const key = { id: 'k1', ownerId: 'u1', access, digest: Buffer.alloc(32), ...times, ...NEVER_PAUSED };
  return new KeyStanding({ ...key, permissions: subset, allowedNetworks: networks, owner });
}

const inCapitals = (word: string) => word.replaceAll('-', '_').toUpperCase();
const onTheWire = (access: AccessLevel) =>
  access === 'read-only' ? ('ACCESS_LEVEL_READ_ONLY' as const) : ('ACCESS_LEVEL_READ_AND_WRITE' as const);

describe.each(cases.map((each) => [each.name, each] as const))('%s', (name, { key, request, refusal }) => {
  const { operation, permission, clientAddress } = request;

  test('is judged by the domain as the table says', () => {
    const verdict = standing(key).verdictOn(request, true, NOW);
    expect(verdict.granted ? null : verdict.reason).toBe(refusal);
  });

  test('is judged by the service as the table says', async () => {
    const { access, owned, subset, networks, maxAccess } = key;
    // Nobody can limit a key to a permission that its owner lacks, so the owner loses it later.
    const owner = await newOwner(service, { permissions: [...new Set([...owned, ...(subset ?? [])])] });
    const order = { access, ...(subset && { permissions: subset }), ...(networks && { allowedNetworks: networks }) };
    const { fullKey } = await owner.person.newKey(order);
    const limits = maxAccess && { limits: { maxAccess: onTheWire(maxAccess) } };
    await service.clients.putAccount({ id: owner.id, email: owner.email, permissions: [...owned], ...limits });
    const { denial } = await service.clients.validate(fullKey, {
      operation: `OPERATION_${inCapitals(operation) as Operation}`,
      permission,
      clientIp: clientAddress ?? '',
    });
    expect(denial?.reason).toBe(refusal === null ? undefined : `REASON_${inCapitals(refusal)}`);
  });

  test('is granted by a guard from a lease exactly when the service grants it', async () => {
    const { access, permissions, hasSubset, allowedNetworks } = standing(key).rights;
    const grant = { keyId: name, ownerId: 'u1', access: onTheWire(access), permissions: [...permissions] };
    const lease = {
      lengthMs: 2000,
      uses: 9,
      hasOwnPermissions: hasSubset,
      allowedNetworks: [...(allowedNetworks ?? [])],
    };
    scripted.leases(lease, { grant: { ...grant, expiresAt: { seconds: 1_900_000_000 } } });
    const question: GuardQuestion = {
      authorization: [`Bearer ${name}`],
      method: '',
      operation: inCapitals(operation) as Operation,
      permission,
      clientIp: clientAddress ?? '',
    };
    const { held } = guard.leases();
    // Only a request that a lease might serve brings one.
    await guard.check({ ...question, operation: 'READ' });
    expect(guard.leases().held).toBe(held + 1);
    scripted.answers({ denial: { reason: 'REASON_ADDRESS_NOT_ALLOWED', httpStatus: 403 } });
    expect((await guard.check(question)).allowed).toBe(refusal === null);
  });
});

test('an address is judged from a lease as the service judges it, whatever the text', async () => {
  const rights = {
    access: 'read-only',
    permissions: [],
    hasSubset: false,
    allowedNetworks: ['10.0.0.0/8', '::/1'],
  } as const;
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4().map((ip) => `::ffff:${ip}`),
    fc.tuple(fc.ipV6(), fc.string({ maxLength: 5 })).map((parts) => parts.join('%')),
    fc.tuple(fc.ipV4(), fc.nat(70_000)).map((parts) => parts.join(':')),
    fc.tuple(fc.ipV6(), fc.nat(70_000)).map(([ip, port]) => `[${ip}]:${port}`),
    fc.string({ unit: fc.constantFrom(...'01.:%fF /[]'), maxLength: 20 }),
    fc.string({ maxLength: 10 }),
  );
  scripted.leases(
    { lengthMs: 2000, uses: 9999, allowedNetworks: [...rights.allowedNetworks] },
    {
      grant: { keyId: 'k1', ownerId: 'u1', access: 'ACCESS_LEVEL_READ_ONLY', expiresAt: { seconds: 1_900_000_000 } },
    },
  );
  const question = { authorization: ['Bearer address'], method: 'GET' };
  await guard.check(question);
  scripted.answers({ denial: { reason: 'REASON_ADDRESS_NOT_ALLOWED', httpStatus: 403 } });
  const judged = fc.asyncProperty(address, async (clientIp) => {
    const { ip } = clientFacts({ ip: clientIp, userAgent: undefined, requestId: undefined });
    const refusal = denialBy(rights, { operation: 'read', permission: '', clientAddress: ip });
    expect((await guard.check({ ...question, clientIp })).allowed).toBe(refusal === undefined);
  });
  await fc.assert(judged, { numRuns: 2000 });
});

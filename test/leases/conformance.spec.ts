import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { HeldLeases } from '../../clients/node/src/leases/held-leases.js';
import { root } from '../../scripts/lib/paths.mjs';
import { NO_ENTITLEMENTS } from '../../src/domain/accounts/account-change.js';
import type { AccessLevel } from '../../src/domain/accounts/access-level.js';
import { type KeyRights, refusalBy } from '../../src/domain/keys/key-rights.js';
import { KeyStanding } from '../../src/domain/keys/key-standing.js';
import type { Question } from '../../src/domain/keys/verdict.js';

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

const NOW = new Date('2026-03-29T00:30:00.000Z');

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
  const key = { id: 'k1', ownerId: 'u1', access, digest: Buffer.alloc(32), ...times };
  return KeyStanding.restore({ ...key, permissions: subset, allowedNetworks: networks, owner });
}

describe.each(cases.map((each) => [each.name, each] as const))('%s', (_name, { key, request, refusal }) => {
  test('is judged by the service as the table says', () => {
    const verdict = standing(key).judge(request, true, NOW);
    expect(verdict.granted ? null : verdict.reason).toBe(refusal);
  });

  test('is granted from a lease exactly when the service grants it', () => {
    const allows = (rights: KeyRights, question: Question) => refusalBy(rights, question) === undefined;
    const held = new HeldLeases<KeyRights, Question, true>(allows);
    const at = { wallMs: 0, monotonicMs: 0 };
    // What travels with a lease is plain JSON.
    const rights = JSON.parse(JSON.stringify(standing(key).rights)) as KeyRights;
    held.store({}, { id: 1, lengthMs: 1000, uses: 1, rights, grant: true }, held.ask('d1', at));
    expect(held.use('d1', request, at) ?? false).toBe(refusal === null);
  });
});

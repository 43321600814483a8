import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, rotateKey } from '../../../test/support/application/calls.js';
import {
  mayBeMade,
  type NaiveKey,
  type NaiveRequest,
  verdictOn,
} from '../../../test/support/application/naive-judge.js';
import { printFigures, shortOrLong } from '../../../test/support/jest/long-form.js';
import { OPERATIONS } from '../../domain/keys/access.js';
import type { CreatedApiKey } from '../keys/create-api-key.js';

const RUNS = shortOrLong(1500, 100_000);

const resource = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('systems', 'systems/1', 'systems/1/disks', 'systems/12', 'a', 'a/b') },
  fc.constantFrom('Systems', 'a//b', 'a/..'),
);
const action = fc.oneof({ weight: 14, arbitrary: fc.constantFrom('read', 'write') }, fc.constantFrom('delete', 'Read'));
const permission = fc.tuple(resource, action).map((parts) => parts.join(':'));
const network = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom(
      ...['10.0.0.0/8', '10.1.2.3', '10.1.2.3/31', '10.1.2.2/32', '::ffff:10.1.0.0/112', '128.0.0.0/1'],
      ...['2001:db8::/32', '2001:db8::1/128', '2001:DB8::9/33', '::/1', 'fd00::/8'],
    ),
  },
  fc.constantFrom(
    ...['0.0.0.0/0', '::/0', '::ffff:0:0/96', '10.0.0.0/33', 'host.example', 'fe80::1%eth0', '10.0.0.1:80'],
  ),
);
const clientAddress = fc.constantFrom(
  ...[null, 'nonsense', '10.1.2.3', '10.1.2.2', '::ffff:10.1.2.3', '::FFFF:a01:203', '11.0.0.1', '127.255.255.255'],
  ...['128.0.0.0', '2001:db8::1', '2001:DB8:0::1', '2001:db8:8000::', '2001:db9::1', 'fd12::1', '7fff::', '8000::'],
);

const owned = fc.array(permission, { minLength: 1, maxLength: 6 });
/** Mostly what the owner may give: a permission of theirs, or one below it. */
const chosenFrom = (permissions: readonly string[]) => {
  const below = fc
    .tuple(fc.constantFrom(...permissions), fc.constantFrom('', '/1', '/1/disks'))
    .map(([own, path]) => own.replace(':', `${path}:`));
  return fc.array(fc.oneof({ weight: 20, arbitrary: below }, permission), { maxLength: 3 });
};
const keyOf = (permissions: readonly string[]): fc.Arbitrary<NaiveKey> =>
  fc.record({
    access: fc.constantFrom('read-and-write', 'read-and-write', 'read-only'),
    permissions: fc.option(chosenFrom(permissions), { nil: undefined }),
    allowedNetworks: fc.option(fc.array(network, { maxLength: 2 }), { nil: undefined }),
  });
/** What happens to the owner and the key before the request. */
const change = fc.oneof(
  { weight: 4, arbitrary: owned.map((permissions) => ({ is: 'permissions' as const, permissions })) },
  fc
    .constantFrom<'suspend' | 'delete' | 'reactivate' | 'rotate' | 'revoke'>(
      'suspend',
      'delete',
      'reactivate',
      'rotate',
      'revoke',
    )
    .map((is) => ({ is })),
);
const request: fc.Arbitrary<NaiveRequest> = fc.record({
  operation: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('read', 'write') }, fc.constantFrom(...OPERATIONS)),
  permission: fc.oneof(fc.constant(''), permission),
  clientAddress,
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const app = openFakes();

/** An owner and the newest key, alone in the store. */
class Life {
  readonly owner = {
    id: '',
    permissions: [] as readonly string[],
    status: 'active' as 'active' | 'suspended' | 'deleted',
  };
  isRevoked = false;
  newest: CreatedApiKey | undefined;

  /** Written into the store, because permissions that are older than their grammar can't be put. */
  give(permissions: readonly string[]): void {
    this.owner.permissions = permissions;
    const { accounts } = app.store;
    accounts.set(this.owner.id, { ...accounts.get(this.owner.id)!, permissions });
  }

  async begin(permissions: readonly string[], { access, ...chosen }: NaiveKey): Promise<string> {
    const { keys, accounts, outbox, sequences, guesses, lastUses, usage } = app.store;
    for (const table of [keys, accounts, outbox, sequences, guesses, lastUses, usage]) table.clear();
    app.store.events = [];
    this.owner.id = (await newOwner(app)).id;
    this.give(permissions);
    return outcomeOf(createKey(app, this.owner.id, { access, ...chosen }).then((created) => (this.newest = created)));
  }

  async apply(what: Change): Promise<void> {
    const { owner } = this;
    if (what.is === 'permissions') return this.give(what.permissions);
    const { key: newest } = this.newest!;
    if (what.is === 'revoke' && !this.isRevoked && owner.status === 'active') {
      await app.revokeApiKey.execute(owner.id, newest.id, client());
      this.isRevoked = true;
    } else if (what.is === 'rotate' && !this.isRevoked && owner.status === 'active') {
      const rotated = await outcomeOf(rotateKey(app, newest.snapshot()).then((created) => (this.newest = created)));
      expect(['ok', 'rotation_pending']).toContain(rotated);
    } else if (what.is === 'suspend' && owner.status !== 'deleted') {
      await app.changeAccountStatus.suspend(owner.id);
      owner.status = 'suspended';
    } else if (what.is === 'delete' || what.is === 'reactivate') {
      await app.changeAccountStatus[what.is](owner.id);
      owner.status = what.is === 'delete' ? 'deleted' : 'active';
    }
  }

  async validate({ operation, ...rest }: NaiveRequest) {
    const question = { operation: operation as (typeof OPERATIONS)[number], ...rest };
    const { verdict, rate } = await app.validateKey.execute({
      credential: this.newest!.fullKey,
      question,
      client: client(),
    });
    return { outcome: verdict.granted ? [...new Set(verdict.permissions)].sort() : verdict.reason, rate };
  }
}

describe('a key with permissions and networks of its own', () => {
  test('is made and judged as a second judge does, whatever happens to its owner', async () => {
    const seen: Record<string, number> = {};
    const cases = owned.chain((permissions) =>
      fc.record({
        permissions: fc.constant(permissions),
        key: keyOf(permissions),
        changes: fc.array(change, { maxLength: 3 }),
        request,
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ permissions, key, changes, request }) => {
        const life = new Life();
        const made = await life.begin(permissions, key);
        expect(made).toBe(mayBeMade(key, permissions) ? 'ok' : 'invalid_fields');
        if (made !== 'ok') {
          expect([app.store.keys.size, app.store.events.some(({ type }) => type === 'api_key.created')]).toEqual([
            0,
            false,
          ]);
          return void (seen[made] = (seen[made] ?? 0) + 1);
        }
        for (const each of changes) {
          // oxlint-disable-next-line no-await-in-loop
          await life.apply(each);
        }
        const { outcome, rate } = await life.validate(request);
        const expected = verdictOn({ ...key, isRevoked: life.isRevoked }, life.owner, request);
        expect(outcome).toEqual(expected);
        if (outcome === 'address-not-allowed') expect(rate).toBeUndefined();
        const name = typeof outcome === 'string' ? outcome : 'granted';
        seen[name] = (seen[name] ?? 0) + 1;
      }),
      { numRuns: RUNS },
    );
    printFigures('restricted keys', { cases: RUNS, wrong: 0, ...seen });
    const usual = ['granted', 'invalid_fields', 'revoked', 'owner-suspended', 'owner-deleted', 'address-not-allowed'];
    expect(Object.keys(seen)).toEqual(expect.arrayContaining([...usual, 'read-only-key', 'missing-permission']));
  });
});

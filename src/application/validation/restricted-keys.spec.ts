import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, rotateKey, themselves } from '#test/support/application/calls.js';
import { making, type NaiveKey, type NaiveRequest, verdictOn } from '#test/support/application/naive-judge.js';
import { printFigures, shortOrLong } from '#test/support/jest/long-form.js';
import { OPERATIONS } from '#domain/keys/verdict.js';
import { KEY_FIELDS } from '#domain/keys/key-rules.js';
import type { CreatedApiKey } from '../keys/make-api-keys.js';

const RUNS = shortOrLong(500, 100_000);

const LONG = 's'.repeat(100);
const resource = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('systems', 'systems/1', 'systems/1/disks', 'systems/12', 'a', 'a/b') },
  fc.constantFrom('Systems', LONG, 'a//b', 'a/..', 'a/', 'a/./b'),
);
const action = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom('read', 'write') },
  fc.constantFrom('delete', 'Read', '1read', 'r'.repeat(28)),
);
/** What an account may have: some values are older than the grammar of new ones. */
const permission = fc.tuple(resource, action).map((parts) => parts.join(':'));
const malformed = fc.constantFrom(
  ...['', ':', 'systems', 'systems:', ':read', 'systems:read:write', 'systems:*', '*:read', 'systems/*:read'],
  ...['systems :read', ' systems:read', 'systems:read\n', 'ѕystems:read', '/a:read', '..:read', '-a:read'],
  ...['a%2Fb:read', `${LONG}s:read`, `systems:${'r'.repeat(29)}`],
);
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

/** No key can be made with an empty list. */
const seldomEmpty = <T>(each: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<readonly T[]> =>
  fc.oneof({ weight: 20, arbitrary: fc.array(each, { minLength: 1, maxLength }) }, fc.constant([]));

const owned = fc.array(permission, { minLength: 1, maxLength: 6 });
/** A permission of the owner, or one below it. */
const coveredBy = (permissions: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...permissions), fc.constantFrom('', '/1', '/1/disks'))
    .map(([own, path]) => own.replace(':', `${path}:`));
const chosenFrom = (permissions: readonly string[]) =>
  fc.oneof({ weight: 40, arbitrary: coveredBy(permissions) }, { weight: 2, arbitrary: permission }, malformed);
const keyOf = (permissions: readonly string[]): fc.Arbitrary<NaiveKey> =>
  fc.record({
    access: fc.constantFrom('read-and-write', 'read-and-write', 'read-only'),
    permissions: fc.option(seldomEmpty(chosenFrom(permissions), 3), { nil: undefined }),
    allowedNetworks: fc.option(seldomEmpty(network, 2), { nil: undefined, freq: 2 }),
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
const requestOf = (permissions: readonly string[]): fc.Arbitrary<NaiveRequest> =>
  fc.record({
    operation: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('read', 'write') }, fc.constantFrom(...OPERATIONS)),
    permission: fc.oneof(fc.constant(''), permission, coveredBy(permissions)),
    clientAddress,
  });

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** An owner's permissions, a key that the owner makes, what happens then, and a request with the key. */
const restrictedCases = owned.chain((permissions) =>
  fc.record({
    permissions: fc.constant(permissions),
    key: keyOf(permissions),
    changes: fc.array(change, { maxLength: 3 }),
    request: requestOf(permissions),
  }),
);

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
    const { keys, accounts, outbox, sequences, guesses, lastUses } = app.store;
    for (const table of [keys, accounts, outbox, sequences, guesses, lastUses]) table.clear();
    app.store.events = [];
    this.owner.id = (await newOwner(app)).id;
    this.give(permissions);
    const creating = createKey(app, this.owner.id, { access, ...chosen });
    const made = await outcomeOf(creating.then((created) => (this.newest = created)));
    if (made !== 'invalid_fields') return made;
    // Doors check the fields before the owner's permissions are read.
    const problem = KEY_FIELDS.permissions(chosen.permissions) ?? KEY_FIELDS.allowedNetworks(chosen.allowedNetworks);
    return problem ? 'invalid' : 'not givable';
  }

  async apply(what: Change): Promise<void> {
    const { owner } = this;
    if (what.is === 'permissions') return this.give(what.permissions);
    const { key: newest } = this.newest!;
    if (what.is === 'revoke' && !this.isRevoked && owner.status === 'active') {
      await app.changeKeysOfOwner.revoke(themselves(owner.id), newest.id, client());
      this.isRevoked = true;
    } else if (what.is === 'rotate' && !this.isRevoked && owner.status === 'active') {
      const rotated = await outcomeOf(rotateKey(app, newest.snapshot()).then((created) => (this.newest = created)));
      expect(['ok', 'rotation_pending']).toContain(rotated);
    } else if (what.is === 'suspend' && owner.status !== 'deleted') {
      await app.changeAccount.suspend(owner.id);
      owner.status = 'suspended';
    } else if (what.is === 'delete' || what.is === 'reactivate') {
      await app.changeAccount[what.is](owner.id);
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
    await fc.assert(
      fc.asyncProperty(restrictedCases, async ({ permissions, key, changes, request }) => {
        const life = new Life();
        const made = await life.begin(permissions, key);
        expect(made).toBe(making(key, permissions));
        if (made !== 'ok') {
          expect([app.store.keys.size, app.store.events.some(({ type }) => type === 'api_key.created')]).toEqual([
            0,
            false,
          ]);
          return void (seen[made] = (seen[made] ?? 0) + 1);
        }
        for (const each of [undefined, ...changes]) {
          // oxlint-disable-next-line no-await-in-loop
          if (each) await life.apply(each);
          // oxlint-disable-next-line no-await-in-loop
          const { outcome, rate } = await life.validate(request);
          expect(outcome).toEqual(verdictOn({ ...key, isRevoked: life.isRevoked }, life.owner, request));
          if (outcome === 'address-not-allowed') expect(rate).toBeUndefined();
          const name = typeof outcome === 'string' ? outcome : 'granted';
          seen[name] = (seen[name] ?? 0) + 1;
        }
      }),
      { numRuns: RUNS },
    );
    printFigures('restricted keys', { cases: RUNS, wrong: 0, ...seen });
    const usual = [
      'granted',
      'invalid',
      'not givable',
      'revoked',
      'owner-suspended',
      'owner-deleted',
      'address-not-allowed',
    ];
    expect(Object.keys(seen)).toEqual(expect.arrayContaining([...usual, 'read-only-key', 'missing-permission']));
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, rotateKey, themselves } from '#test/support/application/calls.js';
import { making, type NaiveKey, type NaiveRequest, verdictOn } from '#test/support/application/naive-judge.js';
import { type Change, restrictedCases } from '#test/support/application/restricted-cases.js';
import { printFigures, shortOrLong } from '#test/support/jest/long-form.js';
import type { OPERATIONS } from '#domain/keys/verdict.js';
import { KEY_FIELDS } from '#domain/keys/key-rules.js';
import type { CreatedApiKey } from '../keys/make-api-keys.js';

const RUNS = shortOrLong(500, 100_000);

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

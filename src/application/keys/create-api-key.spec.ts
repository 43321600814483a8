import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import { FakePasswords } from '#test/fakes/fake-passwords.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  PASSWORD,
  rotateKey,
  themselves,
} from '#test/support/application/calls.js';
import { KeyString } from '#domain/keys/key-string.js';
import { HOUR_MS } from '#domain/time.js';

/** Runs a function right after a password was checked. */
class InterruptedPasswords extends FakePasswords {
  beforeAnswer = async () => {};

  override async verify(password: string, hash: string | null) {
    const result = await super.verify(password, hash);
    await this.beforeAnswer();
    return result;
  }
}

const app = openFakes();
const passwords = new InterruptedPasswords();
const interrupted = openFakes({ store: app.store, passwords });

const ownerWith = async (keys: number) => {
  const owner = await newOwner(app);
  for (let made = 0; made < keys; made += 1) await createKey(app, owner.id);
  return owner.id;
};

const storedKeys = (ownerId: string) =>
  [...app.store.keys.values()].filter(({ state }) => state.ownerId === ownerId).length;

describe('CreateApiKey', () => {
  test('returns the full key once, and stores its digest and its event', async () => {
    const { id: ownerId } = await newOwner(app);
    const from = client('198.51.100.7');
    const order = { ownerId, name: ' CI ', access: 'read-only', expiresInDays: 90, password: PASSWORD } as const;
    const { key, fullKey, now } = await app.makeApiKeys.create(
      { ...order, personId: order.ownerId, idempotencyKey: undefined },
      from,
    );
    const keyString = KeyString.parse(fullKey, 'lk')!;
    const state = key.snapshot();
    expect(state).toMatchObject({ ownerId, name: 'CI', access: 'read-only', createdAt: now, revokedAt: null });
    expect(state.expiresAt.getTime() - now.getTime()).toBe(90 * 24 * 3600 * 1000);
    const { publicPart } = keyString;
    const stored = app.store.keys.get(key.id)!.state;
    expect(stored).toMatchObject({ publicPart, digest: keyString.digest(), createdAt: now });
    expect(eventsOf(app, ownerId)).toMatchObject([
      {
        type: 'api_key.created',
        keyId: key.id,
        actorId: ownerId,
        clientIp: '198.51.100.7',
        requestId: from.requestId,
        reason: null,
        count: 1,
      },
    ]);
  });

  test('names every invalid field, and creates no key', async () => {
    const { id: ownerId } = await newOwner(app);
    const wrong = { name: '', access: 'admin' as 'read-only', expiresInDays: 0 };
    await expect(createKey(app, ownerId, wrong)).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'name' }, { field: 'access' }, { field: 'expiresInDays' }] },
    });
    expect([storedKeys(ownerId), eventsOf(app, ownerId)]).toEqual([0, []]);
  });

  test('refuses a wrong password, which it records before the answer', async () => {
    const { id: ownerId } = await newOwner(app);
    await expect(createKey(app, ownerId, { password: 'wrong' })).rejects.toMatchObject({
      code: 'incorrect_password',
      message: 'Incorrect password',
    });
    expect(eventsOf(app, ownerId)).toMatchObject([
      { type: 'authentication.failed', reason: 'incorrect-password', keyId: null, actorId: null },
    ]);
    expect(storedKeys(ownerId)).toBe(0);
  });

  test('refuses the owner after five wrong passwords, but neither another owner nor the sign-in', async () => {
    const [guessed, other] = [await newOwner(app), await newOwner(app)];
    const outcomes: string[] = [];
    for (let n = 0; n < 5; n += 1) outcomes.push(await outcomeOf(createKey(app, guessed.id, { password: 'wrong' })));
    expect(new Set(outcomes)).toEqual(new Set(['incorrect_password']));
    expect(await outcomeOf(createKey(app, guessed.id))).toBe('too_many_attempts');
    expect(await outcomeOf(createKey(app, other.id))).toBe('ok');
    expect(await outcomeOf(app.signIn.execute(guessed.email, PASSWORD, client()))).toBe('ok');
  });

  test('answers the same for an owner without a password and for an unknown owner', async () => {
    await app.putAccount.execute({ id: 'no-password', email: 'n@example.org', displayName: '', permissions: [] });
    for (const ownerId of ['no-password', 'nobody']) {
      for (const password of ['', PASSWORD]) {
        expect(await outcomeOf(createKey(app, ownerId, { password }))).toBe('incorrect_password');
      }
    }
  });
});

describe('The limit of five active keys', () => {
  test('refuses a sixth key with the message of the settings screen', async () => {
    const ownerId = await ownerWith(5);
    await expect(createKey(app, ownerId)).rejects.toMatchObject({
      code: 'too_many_active_keys',
      message: 'You have reached the maximum number of API keys',
    });
  });

  test('does not count revoked and expired keys', async () => {
    const ownerId = await ownerWith(5);
    const { items } = await app.shownKeys.ofOwner(ownerId, undefined, { limit: 50 });
    const [first, second] = items.map(({ key }) => key.id);
    await app.changeKeysOfOwner.revoke(themselves(ownerId), first!, client());
    runOut(app, second!);
    const outcomes: string[] = [];
    for (let n = 0; n < 10; n += 1) outcomes.push(await outcomeOf(createKey(app, ownerId)));
    expect(outcomes).toEqual(['ok', 'ok', ...new Array(8).fill('too_many_active_keys')]);
  });

  test('counts the keys of each owner separately', async () => {
    const [full, fresh] = [await ownerWith(5), await ownerWith(0)];
    expect(await outcomeOf(createKey(app, full))).toBe('too_many_active_keys');
    expect(await outcomeOf(createKey(app, fresh))).toBe('ok');
  });

  test('records expiries that it finds, also when it refuses', async () => {
    const ownerId = await ownerWith(5);
    const { items } = await app.shownKeys.ofOwner(ownerId, undefined, { limit: 50 });
    runOut(app, items[0]!.key.id);
    await createKey(app, ownerId);
    runOut(app, items[1]!.key.id);
    await createKey(app, ownerId);
    expect(await outcomeOf(createKey(app, ownerId))).toBe('too_many_active_keys');
    expect(eventsOf(app, ownerId, 'api_key.expired')).toMatchObject([
      { keyId: items[0]!.key.id, actorId: null, clientIp: null },
      { keyId: items[1]!.key.id },
    ]);
  });
});

describe('A change between the password check and the insert', () => {
  const during = async (change: (ownerId: string) => Promise<unknown>) => {
    const { id: ownerId } = await newOwner(app);
    passwords.beforeAnswer = async () => void (await change(ownerId));
    try {
      return [await outcomeOf(createKey(interrupted, ownerId)), storedKeys(ownerId)];
    } finally {
      passwords.beforeAnswer = async () => {};
    }
  };
  const profile = { displayName: '', permissions: [] };

  test('does not happen: the key is created', async () => {
    expect(await during(async () => {})).toEqual(['ok', 1]);
  });

  const hashAgain = async (id: string) => {
    const { passwordHash } = await app.findAccounts.byId(id);
    await app.accounts.rehash(id, passwordHash!, await app.passwords.hash(PASSWORD));
  };

  test('replaces the hash of the same password, as a sign-in does: the key is created', async () => {
    let isRenewed = false;
    const once = async (id: string) => {
      if (!isRenewed) await hashAgain(id);
      isRenewed = true;
    };
    expect(await during(once)).toEqual(['ok', 1]);
  });

  test('replaces the hash again and again: the creation is refused', async () => {
    expect(await during(hashAgain)).toEqual(['incorrect_password', 0]);
  });

  test('changes the password: the creation is refused', async () => {
    const change = (id: string) =>
      app.putAccount.execute({ ...profile, id, email: `${id}@b.c`, password: 'a new one' });
    expect(await during(change)).toEqual(['incorrect_password', 0]);
  });

  test.each(['suspend', 'delete'] as const)('locks the account (%s): the creation is refused', async (change) => {
    expect(await during((id) => app.changeAccount[change](id))).toEqual(['unauthenticated', 0]);
  });

  test('locks the account: the error says how to continue', async () => {
    const { id } = await newOwner(app);
    passwords.beforeAnswer = async () => void (await app.changeAccount.suspend(id));
    const refused = createKey(interrupted, id).finally(() => (passwords.beforeAnswer = async () => {}));
    await expect(refused).rejects.toThrow('Sign in again');
  });
});

describe('An Idempotency-Key', () => {
  test('names the created key when it is repeated, without its secret', async () => {
    const { id: ownerId } = await newOwner(app);
    const { key } = await createKey(app, ownerId, { idempotencyKey: 'once' });
    await expect(createKey(app, ownerId, { idempotencyKey: 'once' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      message: 'An API key was already created under this Idempotency-Key; its secret is not shown again',
      details: { apiKeyId: key.id },
    });
    expect(storedKeys(ownerId)).toBe(1);
  });

  test('names its key also when the owner has five keys, and after its revocation', async () => {
    const ownerId = await ownerWith(4);
    const { key } = await createKey(app, ownerId, { idempotencyKey: 'once' });
    const repeat = () => createKey(app, ownerId, { idempotencyKey: 'once' });
    await expect(repeat()).rejects.toMatchObject({ details: { apiKeyId: key.id } });
    await app.changeKeysOfOwner.revoke(themselves(ownerId), key.id, client());
    await expect(repeat()).rejects.toMatchObject({ details: { apiKeyId: key.id } });
  });

  test('reveals nothing without the password', async () => {
    const { id: ownerId } = await newOwner(app);
    await createKey(app, ownerId, { idempotencyKey: 'once' });
    const repeat = createKey(app, ownerId, { idempotencyKey: 'once', password: 'wrong' });
    expect(await outcomeOf(repeat)).toBe('incorrect_password');
  });

  test('is separate for each owner', async () => {
    const [one, other] = [await ownerWith(0), await ownerWith(0)];
    await createKey(app, one, { idempotencyKey: 'same' });
    expect(await outcomeOf(createKey(app, other, { idempotencyKey: 'same' }))).toBe('ok');
  });
});

describe('KEY_CHANGES_PER_HOUR', () => {
  const app = openFakes({ settings: { keyChangesPerHour: 3 } });
  const ownerId = async () => (await newOwner(app)).id;
  const create = (owner: string, part = {}) => outcomeOf(createKey(app, owner, part));
  /** Creates a key and revokes it, so that the maximum number of keys is never reached. */
  const createAndRevoke = async (owner: string) => {
    const { key } = await createKey(app, owner);
    await app.changeKeysOfOwner.revoke(themselves(owner), key.id, client());
  };

  test('refuses the creation after the last one of an hour, also when all keys are revoked, and says how long to wait', async () => {
    const owner = await ownerId();
    await createAndRevoke(owner);
    app.store.pass(60_000);
    for (let n = 0; n < 2; n += 1) await createAndRevoke(owner);
    await expect(createKey(app, owner)).rejects.toMatchObject({
      code: 'too_many_changes',
      details: { retryAfterSeconds: 3540 },
    });
    app.store.pass(HOUR_MS - 60_000);
    expect([await create(owner), await create(owner)]).toEqual(['ok', 'too_many_changes']);
  });

  test('counts rotations like creations', async () => {
    const owner = await ownerId();
    const { key } = await createKey(app, owner);
    const { key: other } = await createKey(app, owner);
    expect(await outcomeOf(rotateKey(app, key))).toBe('ok');
    expect([await outcomeOf(rotateKey(app, other)), await create(owner)]).toEqual([
      'too_many_changes',
      'too_many_changes',
    ]);
  });

  test('counts neither a repeat with its Idempotency-Key nor a refused creation', async () => {
    const owner = await ownerId();
    await createKey(app, owner, { idempotencyKey: 'once' });
    for (let n = 0; n < 5; n += 1) {
      expect(await create(owner, { idempotencyKey: 'once' })).toBe('idempotency_key_reused');
      expect(await create(owner, { name: '' })).toBe('invalid_fields');
    }
    for (let n = 0; n < 2; n += 1) expect(await create(owner)).toBe('ok');
    expect(await create(owner)).toBe('too_many_changes');
    // The answer to a repeat stays the same.
    expect(await create(owner, { idempotencyKey: 'once' })).toBe('idempotency_key_reused');
  });

  test('counts the keys of each owner separately', async () => {
    const [one, other] = [await ownerId(), await ownerId()];
    for (let n = 0; n < 3; n += 1) await createAndRevoke(one);
    expect([await create(one), await create(other)]).toEqual(['too_many_changes', 'ok']);
  });

  test('does not count the keys of an account that was purged, for the next one with its id', async () => {
    const { id, email } = await newOwner(app);
    for (let n = 0; n < 3; n += 1) await createAndRevoke(id);
    await app.changeAccount.purge(id, undefined, { actorId: 'platform', client: client() });
    await newOwner(app, { id, email, version: 2n });
    expect(await create(id)).toBe('ok');
  });

  test('0 sets no limit', async () => {
    const unlimited = openFakes({ store: app.store, settings: { keyChangesPerHour: 0 } });
    const owner = await ownerId();
    for (let n = 0; n < 100; n += 1) {
      const { key } = await createKey(unlimited, owner);
      await app.changeKeysOfOwner.revoke(themselves(owner), key.id, client());
    }
  });
});

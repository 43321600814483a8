import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { eventsOf, runOut } from '../../../test/support/application/stored.js';
import { FakePasswords } from '../../../test/fakes/sessions/fake-passwords.js';
import { client, createKey, newOwner, outcomeOf, PASSWORD } from '../../../test/support/application/calls.js';
import { KeyString } from '../../domain/keys/key-string.js';

/** Runs a function right after a password was checked. */
class InterruptedPasswords extends FakePasswords {
  meanwhile = async () => {};

  override async verify(password: string, hash: string | null) {
    const result = await super.verify(password, hash);
    await this.meanwhile();
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

describe('creating a key', () => {
  test('answers the whole key once, and stores its digest and event with it', async () => {
    const { id: ownerId } = await newOwner(app);
    const from = client('198.51.100.7');
    const order = { ownerId, name: ' CI ', access: 'read-only', expiresInDays: 90, password: PASSWORD } as const;
    const { key, fullKey, now } = await app.createApiKey.execute({ ...order, idempotencyKey: undefined }, from);
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

  test('names every field that is wrong, and makes no key then', async () => {
    const { id: ownerId } = await newOwner(app);
    const wrong = { name: '', access: 'admin' as 'read-only', expiresInDays: 0 };
    await expect(createKey(app, ownerId, wrong)).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'name' }, { field: 'access' }, { field: 'expiresInDays' }] },
    });
    expect([storedKeys(ownerId), eventsOf(app, ownerId)]).toEqual([0, []]);
  });

  test('refuses a wrong password, and has put that on record before it says so', async () => {
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

  test('is refused after five wrong passwords, which slow down neither another owner nor the sign-in', async () => {
    const [guessed, other] = [await newOwner(app), await newOwner(app)];
    const outcomes: string[] = [];
    for (let n = 0; n < 5; n += 1) outcomes.push(await outcomeOf(createKey(app, guessed.id, { password: 'wrong' })));
    expect(new Set(outcomes)).toEqual(new Set(['incorrect_password']));
    expect(await outcomeOf(createKey(app, guessed.id))).toBe('too_many_attempts');
    expect(await outcomeOf(createKey(app, other.id))).toBe('ok');
    expect(await outcomeOf(app.signIn.execute(guessed.email, PASSWORD, client()))).toBe('ok');
  });

  test('refuses the owner without a password and the owner that does not exist alike', async () => {
    await app.putAccount.execute({ id: 'no-password', email: 'n@example.org', displayName: '', permissions: [] });
    for (const ownerId of ['no-password', 'nobody']) {
      for (const password of ['', PASSWORD]) {
        expect(await outcomeOf(createKey(app, ownerId, { password }))).toBe('incorrect_password');
      }
    }
  });
});

describe('the cap of five active keys', () => {
  test('refuses the sixth in the words of the settings screen', async () => {
    const ownerId = await ownerWith(5);
    await expect(createKey(app, ownerId)).rejects.toMatchObject({
      code: 'too_many_active_keys',
      message: 'You have reached the maximum number of API keys',
    });
  });

  test('counts neither revoked nor expired keys', async () => {
    const ownerId = await ownerWith(5);
    const { items } = await app.listApiKeys.execute(ownerId, undefined, { limit: 50 });
    const [first, second] = items.map(({ key }) => key.id);
    await app.revokeApiKey.execute(ownerId, first!, client());
    runOut(app, second!);
    const outcomes: string[] = [];
    for (let n = 0; n < 10; n += 1) outcomes.push(await outcomeOf(createKey(app, ownerId)));
    expect(outcomes).toEqual(['ok', 'ok', ...new Array(8).fill('too_many_active_keys')]);
  });

  test("counts one owner's keys apart from another's", async () => {
    const [full, fresh] = [await ownerWith(5), await ownerWith(0)];
    expect(await outcomeOf(createKey(app, full))).toBe('too_many_active_keys');
    expect(await outcomeOf(createKey(app, fresh))).toBe('ok');
  });

  test('records the expiries it observes even when it refuses', async () => {
    const ownerId = await ownerWith(5);
    const { items } = await app.listApiKeys.execute(ownerId, undefined, { limit: 50 });
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

describe('what happens between the check of the password and the insert', () => {
  const during = async (meanwhile: (ownerId: string) => Promise<unknown>) => {
    const { id: ownerId } = await newOwner(app);
    passwords.meanwhile = async () => void (await meanwhile(ownerId));
    try {
      return [await outcomeOf(createKey(interrupted, ownerId)), storedKeys(ownerId)];
    } finally {
      passwords.meanwhile = async () => {};
    }
  };
  const profile = { displayName: '', permissions: [] };

  test('nothing: the key comes to be', async () => {
    expect(await during(async () => {})).toEqual(['ok', 1]);
  });

  const hashAgain = async (id: string) => {
    const { passwordHash } = await app.getAccount.execute(id);
    await app.accounts.rehash(id, passwordHash!, await app.passwords.hash(PASSWORD));
  };

  test('the same password hashed again, as a sign-in does: the key is created all the same', async () => {
    let isRenewed = false;
    const once = async (id: string) => {
      if (!isRenewed) await hashAgain(id);
      isRenewed = true;
    };
    expect(await during(once)).toEqual(['ok', 1]);
  });

  test('hashed again and again, which nothing does: refused', async () => {
    expect(await during(hashAgain)).toEqual(['incorrect_password', 0]);
  });

  test('a password change: refused', async () => {
    const change = (id: string) =>
      app.putAccount.execute({ ...profile, id, email: `${id}@b.c`, password: 'a new one' });
    expect(await during(change)).toEqual(['incorrect_password', 0]);
  });

  test.each(['suspend', 'delete'] as const)('%s: refused', async (change) => {
    expect(await during((id) => app.changeAccountStatus[change](id))).toEqual(['unauthenticated', 0]);
  });

  test('an owner who is locked out learns what to do', async () => {
    const { id } = await newOwner(app);
    passwords.meanwhile = async () => void (await app.changeAccountStatus.suspend(id));
    const refused = createKey(interrupted, id).finally(() => (passwords.meanwhile = async () => {}));
    await expect(refused).rejects.toThrow('Sign in again');
  });
});

describe('an Idempotency-Key', () => {
  test('makes a repeat name the key it made, without its secret', async () => {
    const { id: ownerId } = await newOwner(app);
    const { key } = await createKey(app, ownerId, { idempotencyKey: 'once' });
    await expect(createKey(app, ownerId, { idempotencyKey: 'once' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      message: 'An API key was already created under this Idempotency-Key; its secret is not shown again',
      details: { apiKeyId: key.id },
    });
    expect(storedKeys(ownerId)).toBe(1);
  });

  test('names its key even when the owner holds five since, and after it was revoked', async () => {
    const ownerId = await ownerWith(4);
    const { key } = await createKey(app, ownerId, { idempotencyKey: 'once' });
    const repeat = () => createKey(app, ownerId, { idempotencyKey: 'once' });
    await expect(repeat()).rejects.toMatchObject({ details: { apiKeyId: key.id } });
    await app.revokeApiKey.execute(ownerId, key.id, client());
    await expect(repeat()).rejects.toMatchObject({ details: { apiKeyId: key.id } });
  });

  test('is revealed to nobody who does not know the password', async () => {
    const { id: ownerId } = await newOwner(app);
    await createKey(app, ownerId, { idempotencyKey: 'once' });
    const repeat = createKey(app, ownerId, { idempotencyKey: 'once', password: 'wrong' });
    expect(await outcomeOf(repeat)).toBe('incorrect_password');
  });

  test("is each owner's own", async () => {
    const [one, other] = [await ownerWith(0), await ownerWith(0)];
    await createKey(app, one, { idempotencyKey: 'same' });
    expect(await outcomeOf(createKey(app, other, { idempotencyKey: 'same' }))).toBe('ok');
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import argon2 from 'argon2';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  outcomeOf,
  PASSWORD,
  runOut,
  tally,
  times,
  type Application,
} from '../../../test/support/application.js';
import { createDatabase } from '../../../test/support/databases.mjs';
import { Argon2Passwords } from '../../infrastructure/outbound/passwords/argon2-passwords.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { PasswordGuesses, Passwords } from '../ports.js';

/** Takes any password for right, at once: for crowds of creates that are not about passwords. */
class AnyPassword extends Passwords {
  hash = async () => '';
  verify = async () => ({ matches: true, outdated: false });
  hashProblem = () => undefined;
}

/** Counts nothing and blocks nobody. */
class NoThrottle extends PasswordGuesses {
  count = async () => {};
  forgive = async () => {};
  hasSucceeded = async () => true;
}

/** The real thing, with something happening right after a password was looked at. */
class InterruptedPasswords extends Argon2Passwords {
  meanwhile = async () => {};

  override async verify(password: string, hash: string | null) {
    const result = await super.verify(password, hash);
    await this.meanwhile();
    return result;
  }
}

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
let crowd: Application;
let interrupted: Application;
const passwords = new InterruptedPasswords(argon2);

beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
  crowd = await openApplication(database.url, { passwords: new AnyPassword(), guesses: new NoThrottle() });
  interrupted = await openApplication(database.url, { passwords });
});
afterAll(async () => {
  await Promise.all([app, crowd, interrupted].map((instance) => instance?.close()));
  await database.drop();
});

const ownerWith = async (keys: number) => {
  const owner = await newOwner(app);
  for (let made = 0; made < keys; made += 1) await createKey(crowd, owner.id);
  return owner.id;
};

async function storedKeys(ownerId: string): Promise<number> {
  const [row] = await app.sql<{ n: number }>(`SELECT count(*)::int AS n FROM api_keys WHERE owner_id = $1`, [ownerId]);
  return row!.n;
}

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
    const [row] = await app.sql(`SELECT * FROM api_keys WHERE id = $1`, [key.id]);
    expect(row).toMatchObject({ public_part: keyString.publicPart, digest: keyString.digest(), created_at: now });
    expect(await eventsOf(app, ownerId)).toMatchObject([
      {
        type: 'api_key.created',
        key_id: key.id,
        actor_id: ownerId,
        client_ip: '198.51.100.7',
        request_id: from.requestId,
        reason: null,
        count: 1,
      },
    ]);
  });

  test('leaves the secret in no table', async () => {
    const { id: ownerId } = await newOwner(app, { password: 'a password to look for' });
    const { fullKey } = await createKey(app, ownerId, { password: 'a password to look for' });
    await app.validateKey.execute(fullKey, { operation: 'read', permission: '' }, client());
    await app.lastUse.flush();
    const secret = fullKey.split('.')[1]!;
    for (const table of ['accounts', 'api_keys', 'api_key_usage', 'sessions', 'password_guesses', 'audit_events']) {
      const rows = await app.sql<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
      const text = rows.map((row) => row.text).join('\n');
      for (const hidden of [secret, Buffer.from(secret).toString('hex'), 'a password to look for']) {
        expect(text).not.toContain(hidden);
      }
    }
  });

  test('names every field that is wrong before it looks at the password', async () => {
    const { id: ownerId } = await newOwner(app);
    const wrong = { name: '', access: 'admin' as 'read-only', expiresInDays: 0, password: 'wrong' };
    await expect(createKey(app, ownerId, wrong)).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'name' }, { field: 'access' }, { field: 'expiresInDays' }] },
    });
    expect(await eventsOf(app, ownerId)).toEqual([]);
  });

  test('refuses a wrong password, and has put that on record before it says so', async () => {
    const { id: ownerId } = await newOwner(app);
    await expect(createKey(app, ownerId, { password: 'wrong' })).rejects.toMatchObject({
      code: 'incorrect_password',
      message: 'Incorrect password',
    });
    expect(await eventsOf(app, ownerId)).toMatchObject([
      { type: 'authentication.failed', reason: 'incorrect-password', key_id: null, actor_id: null },
    ]);
    expect(await storedKeys(ownerId)).toBe(0);
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
  test('50 parallel creates by an owner who holds 4 make exactly one key', async () => {
    const ownerId = await ownerWith(4);
    expect(await tally(times(50, () => createKey(crowd, ownerId)))).toEqual({ ok: 1, too_many_active_keys: 49 });
    expect(await storedKeys(ownerId)).toBe(5);
    expect(await eventsOf(app, ownerId)).toHaveLength(5);
  });

  test('50 parallel creates on two instances by an owner who holds none make exactly five', async () => {
    const ownerId = await ownerWith(0);
    const other = await openApplication(database.url, { passwords: new AnyPassword(), guesses: new NoThrottle() });
    const calls = times(50, (n) => createKey(n % 2 ? crowd : other, ownerId));
    expect(await tally(calls)).toEqual({ ok: 5, too_many_active_keys: 45 });
    expect(await storedKeys(ownerId)).toBe(5);
    await other.close();
  });

  test('50 parallel creates through the real throttle and the real argon2 make exactly one key too', async () => {
    const { id: ownerId } = await newOwner(app, { password: PASSWORD });
    for (let made = 0; made < 4; made += 1) await createKey(crowd, ownerId);
    const { ok, ...refusals } = await tally(times(50, () => createKey(app, ownerId)));
    expect(ok).toBe(1);
    const known = ['too_many_active_keys', 'too_many_attempts', 'busy'];
    expect(Object.keys(refusals).filter((code) => !known.includes(code))).toEqual([]);
    expect(await storedKeys(ownerId)).toBe(5);
  });

  test('tells the sixth in the words of the settings screen', async () => {
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
    await runOut(app, second!);
    expect(await tally(times(10, () => createKey(crowd, ownerId)))).toEqual({ ok: 2, too_many_active_keys: 8 });
  });

  test("counts one owner's keys apart from another's", async () => {
    const [full, fresh] = [await ownerWith(5), await ownerWith(0)];
    expect(await outcomeOf(createKey(app, full))).toBe('too_many_active_keys');
    expect(await outcomeOf(createKey(app, fresh))).toBe('ok');
  });

  test('records the expiries it observes even when it refuses', async () => {
    const ownerId = await ownerWith(5);
    const { items } = await app.listApiKeys.execute(ownerId, undefined, { limit: 50 });
    await runOut(app, items[0]!.key.id);
    await createKey(crowd, ownerId);
    await runOut(app, items[1]!.key.id);
    await createKey(crowd, ownerId);
    expect(await outcomeOf(createKey(crowd, ownerId))).toBe('too_many_active_keys');
    expect(await eventsOf(app, ownerId, 'api_key.expired')).toMatchObject([
      { key_id: items[0]!.key.id, actor_id: null, client_ip: null },
      { key_id: items[1]!.key.id },
    ]);
  });
});

describe('what happens between the check of the password and the insert', () => {
  const during = async (meanwhile: (ownerId: string) => Promise<unknown>) => {
    const { id: ownerId } = await newOwner(app);
    passwords.meanwhile = async () => void (await meanwhile(ownerId));
    try {
      return [await outcomeOf(createKey(interrupted, ownerId)), await storedKeys(ownerId)];
    } finally {
      passwords.meanwhile = async () => {};
    }
  };
  const profile = { displayName: '', permissions: [] };

  test('nothing: the key comes to be', async () => {
    expect(await during(async () => {})).toEqual(['ok', 1]);
  });

  const hashAnew = async (id: string) => {
    const { passwordHash } = await app.getAccount.execute(id);
    await app.accounts.rehash(id, passwordHash!, await new Argon2Passwords(argon2).hash(PASSWORD));
  };

  test('the same password hashed anew, as a sign-in does: the key comes to be all the same', async () => {
    let isRenewed = false;
    const once = async (id: string) => {
      if (!isRenewed) await hashAnew(id);
      isRenewed = true;
    };
    expect(await during(once)).toEqual(['ok', 1]);
  });

  test('hashed anew again and again, which nothing does: refused', async () => {
    expect(await during(hashAnew)).toEqual(['incorrect_password', 0]);
  });

  test('a password change: refused', async () => {
    const change = (id: string) => app.putAccount.execute({ ...profile, id, email: `${id}@b.c`, password: 'new' });
    expect(await during(change)).toEqual(['incorrect_password', 0]);
  });

  test.each(['suspend', 'delete'] as const)('%s: refused', async (change) => {
    expect(await during((id) => app.changeAccountStatus[change](id))).toEqual(['unauthenticated', 0]);
  });

  test('an owner locked out is told what to do', async () => {
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
    expect(await storedKeys(ownerId)).toBe(1);
  });

  test('makes one key of 20 requests at once', async () => {
    const ownerId = await ownerWith(0);
    const calls = times(20, () => createKey(crowd, ownerId, { idempotencyKey: 'once' }));
    expect(await tally(calls)).toEqual({ ok: 1, idempotency_key_reused: 19 });
  });

  test('names its key even when the owner holds five since, and after it was revoked', async () => {
    const ownerId = await ownerWith(4);
    const { key } = await createKey(crowd, ownerId, { idempotencyKey: 'once' });
    const repeat = () => createKey(crowd, ownerId, { idempotencyKey: 'once' });
    await expect(repeat()).rejects.toMatchObject({ details: { apiKeyId: key.id } });
    await app.revokeApiKey.execute(ownerId, key.id, client());
    await expect(repeat()).rejects.toMatchObject({ details: { apiKeyId: key.id } });
  });

  test('is told to nobody who does not know the password', async () => {
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

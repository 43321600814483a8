import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  outcomeOf,
  runOut,
  tally,
  times,
  type Application,
} from '../../../test/support/application.js';
import { createDatabase } from '../../../test/support/databases.mjs';
import { eventually } from '../../../test/support/eventually.js';
import { unknownKey, withWrongSecret } from '../../../test/support/key-strings.js';
import { LatchkeyError } from '../../domain/errors.js';
import { RevokeAsAdmin } from './revoke-as-admin.js';
import { RevokeLeakedKey } from './revoke-leaked-key.js';

const READ = { operation: 'read', permission: '' } as const;
const ADMIN = { actorId: 'admin:ada', client: { ip: null, userAgent: 'latchkey-cli', requestId: null } };

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
let revoke: RevokeAsAdmin;
let revokeLeaked: RevokeLeakedKey;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
  revoke = new RevokeAsAdmin(app.accounts);
  revokeLeaked = new RevokeLeakedKey(app.keys, revoke);
});
afterAll(async () => {
  await app?.close();
  await database.drop();
});

/** On a busy machine the first look may come too late for the validation path's patience. */
const verdictOn = (fullKey: string) =>
  eventually(() =>
    app.validateKey.execute(fullKey, READ, client()).then(
      ({ verdict }) => verdict,
      () => undefined,
    ),
  );
const typesOf = async (ownerId: string) => (await eventsOf(app, ownerId, 'api_key.%')).map(({ type }) => type);

describe('an administrator', () => {
  test('ends a key with an event that names them, whatever the status of its owner', async () => {
    for (const change of ['suspend', 'delete'] as const) {
      const { id } = await newOwner(app);
      const { key, fullKey } = await createKey(app, id);
      await app.changeAccountStatus[change](id);
      expect((await revoke.one(id, key.id, ADMIN)).snapshot().revokedAt).toEqual(expect.any(Date));
      await app.changeAccountStatus.reactivate(id);
      expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
      expect(await eventsOf(app, id, 'api_key.revoked')).toMatchObject([
        { key_id: key.id, actor_id: 'admin:ada', client_ip: null, user_agent: 'latchkey-cli' },
      ]);
    }
  });

  test('ends a key once, however many do so at once', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const calls = times(6, (n) =>
      n % 2 ? revoke.one(id, key.id, ADMIN) : app.revokeApiKey.execute(id, key.id, client()),
    );
    expect(await tally(calls)).toEqual({ ok: 1, api_key_not_active: 5 });
    expect(await typesOf(id)).toEqual(['api_key.created', 'api_key.revoked']);
  });

  test('finds an expired key expired, which is then on record', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await runOut(app, key.id);
    await expect(revoke.one(id, key.id, ADMIN)).rejects.toMatchObject({
      code: 'api_key_not_active',
      details: { apiKeyStatus: 'expired' },
    });
    expect(await typesOf(id)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test("ends neither another owner's key nor one of nobody", async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const { key, fullKey } = await createKey(app, id);
    expect(await outcomeOf(revoke.one(other.id, key.id, ADMIN))).toBe('not_found');
    expect(await outcomeOf(revoke.one('nobody', key.id, ADMIN))).toBe('account_not_found');
    expect(await outcomeOf(revoke.all('nobody', ADMIN))).toBe('account_not_found');
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('ends all keys of an owner, and what is created beside that is ended too or comes after', async () => {
    const { id } = await newOwner(app);
    const keys = [await createKey(app, id), await createKey(app, id), await createKey(app, id)];
    await runOut(app, keys[0]!.key.id);
    const [revoked, created] = await Promise.all([revoke.all(id, ADMIN), createKey(app, id)]);
    const ended = revoked.map((key) => key.id).sort();
    const createdFirst = ended.includes(created.key.id);
    const expected = [...keys.slice(1), ...(createdFirst ? [created] : [])];
    expect(ended).toEqual(expected.map(({ key }) => key.id).sort());
    for (const { fullKey } of expected) expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect((await verdictOn(created.fullKey)).granted).toBe(!createdFirst);
    const events = await eventsOf(app, id, 'api_key.%');
    expect(events.filter(({ type }) => type === 'api_key.expired')).toHaveLength(1);
    const named = events.filter(({ actor_id: actor }) => actor === 'admin:ada').map(({ key_id: key }) => key);
    expect(named.sort()).toEqual(ended);
  });
});

describe('a leaked key', () => {
  test('is found by its string alone, and ended once', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    for (const was of ['active', 'revoked']) {
      const found = await revokeLeaked.execute(fullKey, ADMIN);
      expect([found?.was, found?.key.id, found?.key.ownerId]).toEqual([was, key.id, id]);
    }
    expect(await typesOf(id)).toEqual(['api_key.created', 'api_key.revoked']);
  });

  test('whose time has run out had ended before', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await runOut(app, key.id);
    expect(await revokeLeaked.execute(fullKey, ADMIN)).toMatchObject({ was: 'expired' });
  });

  test('must be proven: its public part alone ends nothing', async () => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id);
    for (const guess of [withWrongSecret(fullKey), unknownKey(), fullKey.slice(0, 27), `x${fullKey}`, '']) {
      expect(await revokeLeaked.execute(guess, ADMIN)).toBeUndefined();
    }
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('that can’t be looked up is not taken for an unknown one', async () => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id);
    /** The real adapter finds the key; then the database is gone. */
    const away = new RevokeAsAdmin(
      Object.assign(Object.create(app.accounts), {
        transaction: () => Promise.reject(new LatchkeyError('unavailable', 'away')),
      }),
    );
    expect(await outcomeOf(new RevokeLeakedKey(app.keys, away).execute(fullKey, ADMIN))).toBe('unavailable');
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });
});

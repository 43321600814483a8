import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import {
  client,
  createKey,
  newOwner,
  SERVICE_POLICY,
  times,
  themselves,
  outcomeOf,
} from '#test/support/application/calls.js';
import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import { DAY_MS } from '#domain/time.js';
import { ViewKeyOfOwner } from './keys-of-owner.js';
import type { ApiKeys, DueKeys } from '../key-ports.js';
import { RecordDueEnds } from './record-due-ends.js';
import { ShownKeys } from './shown-keys.js';
import type { Renaming } from '#domain/keys/key-state.js';

const ALL = { limit: 50 };
const READ = { operation: 'read', permission: '' } as const;

const app = openFakes();
const shownBy = (keys: ApiKeys, dueEnds: RecordDueEnds) =>
  new ShownKeys({ keys, accounts: app.accounts, dueEnds, keyPolicy: SERVICE_POLICY, importPrefixes: [] });

/** Two active keys, a revoked one and one whose expiry is due, in the order of their creation. */
async function ownerWithKeys() {
  const { id } = await newOwner(app);
  const made: string[] = [];
  for (const name of ['active 1', 'revoked', 'expired', 'active 2']) {
    made.push((await createKey(app, id, { name })).key.id);
    app.store.pass(1);
  }
  await app.changeKeysOfOwner.revoke(themselves(id), made[1]!, client());
  runOut(app, made[2]!);
  return { id, made };
}

const names = async (ownerId: string, status?: ApiKeyStatus) =>
  (await app.shownKeys.ofOwner(ownerId, status, ALL)).items.map(({ key }) => key.snapshot().name);

describe('ShownKeys.ofOwner', () => {
  test("returns the owner's keys, newest first, each with its status", async () => {
    const { id, made } = await ownerWithKeys();
    await createKey(app, (await newOwner(app)).id);
    const { items, now, activeKeys, nextCursor } = await app.shownKeys.ofOwner(id, undefined, ALL);
    expect(items.map(({ key }) => [key.id, key.status(now)])).toEqual([
      [made[3], 'active'],
      [made[2], 'expired'],
      [made[1], 'revoked'],
      [made[0], 'active'],
    ]);
    expect([activeKeys, nextCursor]).toEqual([2, null]);
  });

  test('shows a new key as the answer to its creation does', async () => {
    const maker = await newOwner(app);
    const { fullKey: _, ...created } = await createKey(app, maker.id);
    expect((await app.shownKeys.ofOwner(maker.id, undefined, ALL)).items).toMatchObject([created]);
  });

  test.each<[ApiKeyStatus, string[]]>([
    ['active', ['active 2', 'active 1']],
    ['expired', ['expired']],
    ['revoked', ['revoked']],
  ])('returns only the keys with the status %s, whether or not the expiry is recorded', async (status, expected) => {
    const { id } = await ownerWithKeys();
    expect(await names(id, status)).toEqual(expected);
    expect(await names(id, status)).toEqual(expected);
  });

  test('counts the active keys of all pages, for any status', async () => {
    const { id } = await ownerWithKeys();
    expect((await app.shownKeys.ofOwner(id, 'revoked', { limit: 1 })).activeKeys).toBe(2);
  });

  test.each([1, 2, 3, 5])('returns every key once with %i keys in a page', async (limit) => {
    const { id } = await newOwner(app);
    // Created in the same millisecond, so the order within it matters too.
    await Promise.all(times(5, () => createKey(app, id)));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await app.shownKeys.ofOwner(id, undefined, { limit, cursor });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      seen.push(...page.items.map(({ key }) => key.id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
  });

  test.each(['', 'x', 'bm9wZQ', Buffer.from('["2026-01-01","no-uuid"]').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      const { id } = await newOwner(app);
      await expect(app.shownKeys.ofOwner(id, undefined, { limit: 5, cursor })).rejects.toMatchObject({
        code: 'invalid_fields',
        details: { errors: [{ field: 'cursor' }] },
      });
    },
  );

  test('shows an end that was due as it is recorded, like the details', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    const { items, now } = await app.shownKeys.ofOwner(id, undefined, ALL);
    expect(items[0]!.key.snapshot().expiredAt).toEqual(now);
    const other = await createKey(app, id);
    runOut(app, other.key.id);
    const shown = await app.viewKeyOfOwner.find(id, other.key.id);
    expect(shown.key.snapshot().expiredAt).toEqual(shown.now);
  });

  test('records an expiry that falls between reading and recording before it shows it', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    /** Lets the key expire while the first answer is on its way. */
    const afterwards = <T>(answer: T): T => {
      if (eventsOf(app, id, 'api_key.expired').length === 0) runOut(app, key.id);
      return answer;
    };
    const keys = Object.create(app.keys) as ApiKeys;
    keys.list = async (...call) => afterwards(await app.keys.list(...call));
    const dueKeys = Object.create(app.dueKeys) as DueKeys;
    dueKeys.end = async (...call) => afterwards(await app.dueKeys.end(...call));
    const shownKeys = shownBy(keys, new RecordDueEnds(dueKeys, app.recordingGate));
    const { items, now } = await shownKeys.ofOwner(id, undefined, ALL);
    const isShownAsExpired = items[0]!.key.status(now) === 'expired';
    const isOnRecord = eventsOf(app, id, 'api_key.expired').length === 1;
    expect(isShownAsExpired && !isOnRecord).toBe(false);
  });
});

describe('ViewKeyOfOwner', () => {
  test('returns the key as the list shows it, with the history of its use', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await createKey(app, id);
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    const { items } = await app.shownKeys.ofOwner(id, undefined, { limit: 50 });
    const found = await app.viewKeyOfOwner.find(id, key.id);
    const now = app.store.now();
    const listed = items.find((item) => item.key.id === key.id);
    expect(found).toEqual({ ...listed, ...(await app.usage.history(key.id, now)), now });
    expect(found.lastUsedAt).toEqual(now);
  });

  test("answers the same for another owner's key and an unknown one", async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const { key } = await createKey(app, other.id);
    const refusal = { code: 'not_found', message: 'There is no such API key' };
    for (const keyId of [key.id, randomUUID()]) {
      await expect(app.viewKeyOfOwner.find(id, keyId)).rejects.toMatchObject(refusal);
    }
  });

  test('records an expiry before it shows it', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    const { now, ...shown } = await app.viewKeyOfOwner.find(id, key.id);
    expect(shown.key.status(now)).toBe('expired');
    expect(eventsOf(app, id, 'api_key.expired')).toHaveLength(1);
  });
});

test('an expiry that a list or a detail has read is recorded, even when the clock is set back in the meantime', async () => {
  const setBack = <T>(answer: T): T => {
    app.store.pass(-DAY_MS);
    return answer;
  };
  const keys = Object.create(app.keys) as ApiKeys;
  keys.list = async (...call) => setBack(await app.keys.list(...call));
  keys.findListed = async (...call) => setBack(await app.keys.findListed(...call));
  const shownKeys = shownBy(keys, app.dueEnds);
  const detail = new ViewKeyOfOwner(shownKeys, app.keys, app.usage);
  for (const show of [
    (ownerId: string) => shownKeys.ofOwner(ownerId, undefined, ALL),
    (ownerId: string, keyId: string) => detail.find(ownerId, keyId),
  ]) {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    const readAt = app.store.now();
    await show(id, key.id);
    expect(app.store.keys.get(key.id)!.state.expiredAt).toEqual(readAt);
    app.store.pass(DAY_MS);
  }
});

describe('The last use in a list', () => {
  const lastUse = async (ownerId: string) => {
    const { items } = await app.shownKeys.ofOwner(ownerId, undefined, ALL);
    return items[0]!.lastUsedAt;
  };

  test('is set only by grants', async () => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id, { access: 'read-only' });
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'write', permission: '' },
      client: client(),
    });
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: 'users:read' },
      client: client(),
    });
    expect(await lastUse(id)).toBeNull();
    await app.validateKey.execute({ credential: fullKey, question: READ, client: client() });
    expect(await lastUse(id)).toEqual(app.store.now());
  });
});

const rename = (ownerId: string, keyId: string, renaming: Renaming, from = client()) =>
  app.changeKeysOfOwner.rename(themselves(ownerId), keyId, renaming, from);
const renamings = (ownerId: string) => eventsOf(app, ownerId, 'api_key.renamed');
const detailsOf = (ownerId: string) => renamings(ownerId).map(({ details }) => JSON.parse(details!) as object);

async function ownerWithKey() {
  const { id } = await newOwner(app);
  const { key } = await createKey(app, id, { name: 'CI', note: 'Deploys' });
  return { id, keyId: key.id };
}

describe('RenameApiKey', () => {
  test('changes the name and the note, and records what they were before', async () => {
    const { id, keyId } = await ownerWithKey();
    const from = client('203.0.113.9');
    const { key } = await rename(id, keyId, { name: ' Release ', note: 'Publishes' }, from);
    expect(key.snapshot()).toMatchObject({ name: 'Release', note: 'Publishes' });
    expect(app.store.keys.get(keyId)!.state).toEqual(key.snapshot());
    expect(renamings(id)).toMatchObject([{ keyId, actorId: id, clientIp: from.ip, requestId: from.requestId }]);
    expect(detailsOf(id)).toEqual([
      { name: 'Release', note: 'Publishes', previousName: 'CI', previousNote: 'Deploys' },
    ]);
  });

  test('keeps what is not sent, and takes an empty note for none', async () => {
    const { id, keyId } = await ownerWithKey();
    const labels = async (renaming: Renaming) => {
      const { name, note } = (await rename(id, keyId, renaming)).key.snapshot();
      return [name, note];
    };
    expect(await labels({ name: 'Release' })).toEqual(['Release', 'Deploys']);
    expect(await labels({ note: ' ' })).toEqual(['Release', null]);
  });

  test('records nothing when nothing changes', async () => {
    const { id, keyId } = await ownerWithKey();
    expect((await rename(id, keyId, { name: 'CI ', note: 'Deploys' })).key.snapshot().name).toBe('CI');
    expect(renamings(id)).toEqual([]);
  });

  test('refuses a call without any field, and an invalid name or note', async () => {
    const { id, keyId } = await ownerWithKey();
    await expect(rename(id, keyId, {})).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Send a name, a note or both',
    });
    await expect(rename(id, keyId, { name: '', note: 'a\nb' })).rejects.toMatchObject({
      details: { errors: [{ field: 'name' }, { field: 'note' }] },
    });
    expect(renamings(id)).toEqual([]);
  });

  test('renames an ended key, and records an end that is due first', async () => {
    const { id, keyId } = await ownerWithKey();
    runOut(app, keyId);
    const { key, now } = await rename(id, keyId, { name: 'Old laptop' });
    expect([key.status(now), key.snapshot().name]).toEqual(['expired', 'Old laptop']);
    expect(eventsOf(app, id, 'api_key.').map(({ type }) => type)).toEqual([
      'api_key.created',
      'api_key.expired',
      'api_key.renamed',
    ]);
    expect((await rename(id, keyId, { name: 'Older laptop' })).key.snapshot().name).toBe('Older laptop');
  });

  test('changes neither another owner’s key nor one of an owner who is suspended', async () => {
    const { id, keyId } = await ownerWithKey();
    const other = await newOwner(app);
    expect(await outcomeOf(rename(other.id, keyId, { name: 'Mine' }))).toBe('not_found');
    await app.changeAccount.suspend(id);
    expect(await outcomeOf(rename(id, keyId, { name: 'Mine' }))).toBe('unauthenticated');
    expect(app.store.keys.get(keyId)!.state.name).toBe('CI');
  });
});

describe('RevokeApiKey', () => {
  test('ends the key before the answer, with its event', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    const from = client('203.0.113.9');
    const { now, lastUsedAt, ...revoked } = await app.changeKeysOfOwner.revoke(themselves(id), key.id, from);
    expect([revoked.key.status(now), revoked.key.snapshot().revokedAt, lastUsedAt]).toEqual(['revoked', now, null]);
    const { verdict } = await app.validateKey.execute({ credential: fullKey, question: READ, client: client() });
    expect(verdict).toEqual({ granted: false, reason: 'revoked' });
    expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([
      { keyId: key.id, reason: 'owner', actorId: id, clientIp: '203.0.113.9', requestId: from.requestId },
    ]);
  });

  test('refuses a second revocation with the status, and changes nothing', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const { now } = await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
    app.store.pass(1000);
    await expect(app.changeKeysOfOwner.revoke(themselves(id), key.id, client())).rejects.toMatchObject({
      code: 'api_key_not_active',
      details: { apiKeyStatus: 'revoked' },
    });
    expect(app.store.keys.get(key.id)!.state.revokedAt).toEqual(now);
  });

  test('refuses an expired key, and records its expiry instead of a revocation', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    await expect(app.changeKeysOfOwner.revoke(themselves(id), key.id, client())).rejects.toMatchObject({
      code: 'api_key_not_active',
      message: 'This API key is already expired',
      details: { apiKeyStatus: 'expired' },
    });
    expect(eventsOf(app, id).map(({ type }) => type)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test("answers the same for another owner's key and an unknown one", async () => {
    const [mine, theirs] = [await newOwner(app), await newOwner(app)];
    const { key, fullKey } = await createKey(app, theirs.id);
    for (const keyId of [key.id, randomUUID()]) {
      await expect(app.changeKeysOfOwner.revoke(themselves(mine.id), keyId, client())).rejects.toMatchObject({
        code: 'not_found',
        message: 'There is no such API key',
      });
    }
    expect(
      (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict.granted,
    ).toBe(true);
    expect(eventsOf(app, mine.id)).toEqual([]);
  });

  test('refuses suspended, deleted and unknown owners', async () => {
    const signInAgain = { code: 'unauthenticated', message: 'Sign in again' };
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    for (const change of ['suspend', 'delete'] as const) {
      await app.changeAccount[change](id);
      await expect(app.changeKeysOfOwner.revoke(themselves(id), key.id, client())).rejects.toMatchObject(signInAgain);
    }
    await expect(app.changeKeysOfOwner.revoke(themselves('nobody'), key.id, client())).rejects.toMatchObject(
      signInAgain,
    );
  });
});

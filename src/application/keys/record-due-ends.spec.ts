import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { endAt, eventsOf, runOut } from '#test/support/application/stored.js';
import { OBSERVERS, READ } from '#test/support/application/observers.js';
import { client, createKey, newOwner, times, themselves } from '#test/support/application/calls.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { DAY_MS } from '#domain/time.js';
import type { RecordingGate } from '../key-ports.js';
import type { CreatedApiKey } from './make-api-keys.js';
import { saveKeys } from './change-keys.js';
import { RecordDueEnds } from './record-due-ends.js';

const app = openFakes();

const observers = Object.entries(OBSERVERS);

/** A key whose expiry is due and not recorded yet. */
async function dueKey(): Promise<CreatedApiKey> {
  const { id } = await newOwner(app);
  const created = await createKey(app, id);
  runOut(app, created.key.id);
  return created;
}

const stored = ({ key }: CreatedApiKey) => app.store.keys.get(key.id)!.state;

const expiryEvents = ({ key }: CreatedApiKey) => eventsOf(app, key.ownerId, 'api_key.expired');

/** As if the clock had been set back by a day. */
function putOff({ key }: CreatedApiKey): void {
  endAt(app.store, new Date(app.store.now().getTime() + DAY_MS), key.id);
}

async function statusOf({ key }: CreatedApiKey): Promise<string> {
  const { items, now } = await app.shownKeys.ofOwner(key.ownerId, undefined, { limit: 50 });
  return items.find((item) => item.key.id === key.id)!.key.status(now);
}

describe.each(observers)('An expiry observed by %s', (_name, observe) => {
  test('is recorded with its event before the answer, and stays when the clock is set back', async () => {
    const due = await dueKey();
    await observe(app, due);
    expect(stored(due).expiredAt).toBeInstanceOf(Date);
    expect(expiryEvents(due)).toMatchObject([{ keyId: due.key.id, actorId: null, count: 1 }]);

    putOff(due);
    expect(await statusOf(due)).toBe('expired');
    const { verdict } = await app.validateKey.execute({ credential: due.fullKey, question: READ, client: client() });
    expect(verdict).toEqual({ granted: false, reason: 'expired' });
    const revoke = app.changeKeysOfOwner.revoke(themselves(due.key.ownerId), due.key.id, client());
    await expect(revoke).rejects.toMatchObject({ details: { apiKeyStatus: 'expired' } });
    expect(expiryEvents(due)).toHaveLength(1);
    expect(stored(due).revokedAt).toBeNull();
  });

  test('ends no key before its time', async () => {
    const due = await dueKey();
    const living = await createKey(app, due.key.ownerId);
    await observe(app, due);
    expect(stored(living)).toMatchObject({ expiredAt: null, revokedAt: null });
    expect(
      (await app.validateKey.execute({ credential: living.fullKey, question: READ, client: client() })).verdict.granted,
    ).toBe(true);
  });
});

describe('RecordDueEnds.ofKey', () => {
  test('returns true once it has recorded the end, and false when the key has to be read again', async () => {
    const due = await dueKey();
    const record = () => app.dueEnds.ofKey(due.key.id, app.store.now());
    expect([await record(), await record()]).toEqual([true, false]);
    expect(expiryEvents(due)).toHaveLength(1);
  });

  test('records nothing of a key whose end was put off after it had been read', async () => {
    const due = await dueKey();
    const readAt = app.store.now();
    putOff(due);
    expect(await app.dueEnds.ofKey(due.key.id, readAt)).toBe(false);
    expect([stored(due).expiredAt, expiryEvents(due)]).toEqual([null, []]);
  });
});

describe('RecordDueEnds.ofOwner', () => {
  test('answers only once every end is recorded, also by another caller that has not finished', async () => {
    const due = await dueKey();
    const since: number[] = [];
    /** Another caller is recording each time, but gives up the first two times. */
    const pass: RecordingGate['pass'] = async (_keyId, begun, record) => {
      since.push(begun);
      if (since.length > 2) await record();
      return undefined;
    };
    await new RecordDueEnds(app.dueKeys, { pass }).ofOwner(due.key.ownerId, app.store.now(), 17);
    expect(stored(due).expiredAt).toEqual(app.store.now());
    expect(since).toEqual([17, 17, 17]);
  });

  test('records each end once', async () => {
    const due = await dueKey();
    let passed = 0;
    const pass: RecordingGate['pass'] = (_keyId, _since, record) => {
      passed += 1;
      return record();
    };
    await new RecordDueEnds(app.dueKeys, { pass }).ofOwner(due.key.ownerId, app.store.now());
    expect([passed, expiryEvents(due).length]).toEqual([1, 1]);
  });
});

test('OwnerKeys.countActive leaves out expired keys, recorded or not', async () => {
  const { id } = await newOwner(app);
  const keys = await Promise.all(times(4, () => createKey(app, id)));
  runOut(app, keys[0]!.key.id);
  const count = () =>
    app.accounts.transaction(id, async (transaction) => {
      const ownerKeys = new OwnerKeys(await transaction.openKeys());
      const active = ownerKeys.countActive(transaction.now);
      await saveKeys(transaction, { keys: ownerKeys, actor: { actorId: id, client: client() } });
      return active;
    });
  expect(await count()).toBe(3);
  runOut(app, keys[1]!.key.id);
  expect([await count(), await count()]).toEqual([2, 2]);
});

describe('RecordDueEnds.ofAll', () => {
  /** More keys for one owner than the limit allows. */
  async function dueKeys(count: number): Promise<string> {
    const { id: ownerId } = await newOwner(app);
    const { key } = await createKey(app, ownerId);
    const template = app.store.keys.get(key.id)!;
    app.store.keys.delete(key.id);
    for (let made = 0; made < count; made += 1) {
      const id = randomUUID();
      app.store.keys.set(id, { ...template, state: { ...template.state, id } });
      runOut(app, id);
    }
    return ownerId;
  }

  test.each([0, 1, 499, 500, 501, 1234])(
    'records each expiry once for %i keys, also for more than a batch',
    async (count) => {
      const id = await dueKeys(count);
      expect(await app.dueEnds.ofAll()).toBe(count);
      const swept = eventsOf(app, id, 'api_key.expired').map(({ keyId }) => keyId);
      expect([swept.length, new Set(swept).size]).toEqual([count, count]);
    },
  );

  test('returns how many ends it recorded, also when the last batch is full', async () => {
    await dueKeys(500);
    expect(await app.dueEnds.ofAll()).toBe(500);
    expect(await app.dueEnds.ofAll()).toBe(0);
  });
});

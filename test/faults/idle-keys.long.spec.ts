import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DAY_MS, MINUTE_MS } from '#domain/time.js';
import { openHeldDatabase } from '../contracts/support/postgres-world.js';
import { client, createKey, newOwner, rotateKey } from '../support/application/application.js';
import { printFigures } from '../support/jest/long-form.js';

const AFTER_DAYS = 14;
const DAYS = 365;
const OWNERS = 14;
/** Of each day: after the last one comes the next day's first. */
const STEPS_MS = [0, 10 * MINUTE_MS, 20 * MINUTE_MS];
/** Only mail, so that an owner without an address has no receiver. */
const GIVEN = { noticeReceivers: { webhook: false, mail: true }, revokeIdleAfterDays: AFTER_DAYS };

type Held = Awaited<ReturnType<typeof openHeldDatabase>>;
type Instance = Awaited<ReturnType<Held['start']>>;

interface KeyLife {
  readonly id: string;
  readonly fullKey: string;
  readonly ownerId: string;
  readonly createdMs: number;
  /** The old key of the rotation that made it. */
  readonly replaces: string | undefined;
  readonly grants: number[];
}
interface OwnerLife {
  readonly id: string;
  /** The person who makes the keys, and gets the mails where the owner is a service account. */
  readonly person: string;
  isActive: boolean;
  isHeard: boolean;
  /** When the owner was last reactivated. */
  activeSinceMs: number;
  /** When the owner was last suspended, reactivated, without a receiver, or had one again. */
  changedMs: number;
}

/** Numbers from 0 to 1, the same in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('idle keys of two instances, while the clock is moved', () => {
  let held: Held;
  let instances: Instance[];
  let nowMs: number;
  const keys = new Map<string, KeyLife>();
  const owners = new Map<string, OwnerLife>();
  const random = randomFrom(31);
  const chance = (probability: number) => random() < probability;
  const anyOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const counts = { uses: 0, notices: 0, ends: 0, ofKeysThatStayed: 0, suspensions: 0, rotations: 0 };

  beforeAll(async () => {
    held = await openHeldDatabase();
    instances = [await held.start(GIVEN), await held.start(GIVEN)];
    nowMs = Date.parse('2026-03-29T00:30:00Z');
  });
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.close()));
    await held.drop();
  });

  const pass = async (ms: number) => {
    // In such a time, every use in memory is written.
    await Promise.all(instances.map(({ usage }) => usage.flush()));
    await held.pass(ms);
    nowMs += ms;
  };

  async function addOwner(number: number): Promise<void> {
    const [app] = instances;
    const person = await newOwner(app!);
    const isService = number % 3 === 2;
    const id = isService ? `bot-${number}` : person.id;
    const profile = { email: '', displayName: 'CI bot', permissions: ['systems:read'] };
    if (isService) await app!.putAccount.execute({ id, kind: 'service', managers: [person.id], ...profile });
    owners.set(id, { id, person: person.id, isActive: true, isHeard: true, activeSinceMs: 0, changedMs: 0 });
    for (let made = 0; made < 3; made += 1) await addKey(id);
  }

  async function addKey(ownerId: string): Promise<void> {
    const order = { personId: owners.get(ownerId)!.person, access: 'read-only', expiresInDays: 365 } as const;
    const { key, fullKey } = await createKey(anyOf(instances), ownerId, order);
    keys.set(key.id, { id: key.id, fullKey, ownerId, createdMs: nowMs, replaces: undefined, grants: [] });
  }

  async function rotate({ id, ownerId }: KeyLife): Promise<void> {
    const { key, fullKey } = await rotateKey(
      anyOf(instances),
      { id, ownerId },
      { personId: owners.get(ownerId)!.person },
    );
    keys.set(key.id, { id: key.id, fullKey, ownerId, createdMs: nowMs, replaces: id, grants: [] });
    counts.rotations += 1;
  }

  async function use({ fullKey, grants }: KeyLife): Promise<void> {
    const question = { operation: 'read', permission: 'systems:read', clientAddress: undefined } as const;
    const { verdict } = await anyOf(instances).validateKey.execute({ credential: fullKey, question, client: client() });
    if (!verdict.granted) return;
    grants.push(nowMs);
    counts.uses += 1;
  }

  /** Suspends, deletes or reactivates an owner, or the only manager of a service account. */
  async function changeOwner(owner: OwnerLife): Promise<void> {
    const { changeAccount } = anyOf(instances);
    const isOfManager = owner.id !== owner.person && chance(0.5);
    const isOn = isOfManager ? owner.isHeard : owner.isActive;
    const id = isOfManager ? owner.person : owner.id;
    if (isOn) await changeAccount.suspend(id);
    else await changeAccount.reactivate(id);
    if (!isOfManager && !isOn) owner.activeSinceMs = nowMs;
    Object.assign(owner, isOfManager ? { isHeard: !isOn } : { isActive: !isOn }, { changedMs: nowMs });
    counts.suspensions += 1;
  }

  const active = async () => {
    const rows = await instances[0]!.sql<{ id: string; replaced_by: string | null; written: Date | null }>(
      `SELECT id, replaced_by, written_at AS written FROM api_keys LEFT JOIN idle_notices ON key_id = id
       WHERE revoked_at IS NULL AND expired_at IS NULL AND expires_at > held.clock_timestamp()
         AND coalesce(ends_at > held.clock_timestamp(), true)`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  };
  const ended = async () => {
    const rows = await instances[0]!.sql<{ id: string; at: Date }>(
      `SELECT key_id AS id, at FROM audit_events WHERE type = 'api_key.revoked' AND reason = 'idle' ORDER BY audit_events.id`,
    );
    return rows.map(({ id, at }) => ({ id, ms: at.getTime() }));
  };
  const notices = async () => {
    const rows = await instances[0]!.sql<{ id: string; at: Date; replaced: string | null }>(
      `SELECT data::json ->> 'keyId' AS id, data::json ->> 'replacesKeyId' AS replaced, told_at AS at FROM outbox
       WHERE type = 'api_key.idle' AND recipient IS NULL ORDER BY told_at`,
    );
    return rows.map(({ id, at, replaced }) => ({ id, replaced, ms: at.getTime() }));
  };

  const last = (key: KeyLife, beforeMs = Infinity) =>
    Math.max(key.createdMs, ...key.grants.filter((ms) => ms < beforeMs));
  /** Of a key, and of the one that it replaces while that is active. */
  const pairOf = (key: KeyLife, replaced?: string | null) => [key, ...(replaced ? [keys.get(replaced)!] : [])];

  /** What a run wrote since the last one, compared with what the test did. */
  async function checkRun(seen: { notices: number; ends: number }): Promise<void> {
    const [allNotices, allEnds] = [await notices(), await ended()];
    const stored = allNotices.length > seen.notices ? await active() : new Map<string, unknown>();
    for (const { id, replaced, ms } of allNotices.slice(seen.notices)) {
      const key = keys.get(id)!;
      const owner = owners.get(key.ownerId)!;
      const idleSince = Math.max(...pairOf(key, replaced).map((each) => last(each, ms)));
      expect([owner.isActive, owner.isHeard]).toEqual([true, true]);
      // One for a rotating pair, about the newer key.
      expect([...keys.values()].filter((each) => each.replaces === id && stored.has(each.id))).toEqual([]);
      expect(replaced).toBe(key.replaces !== undefined && stored.has(key.replaces) ? key.replaces : null);
      expect((ms - Math.max(idleSince, owner.activeSinceMs)) / DAY_MS).toBeGreaterThanOrEqual(AFTER_DAYS);
      const before = allNotices.filter((each) => each.id === id && each.ms < ms).at(-1);
      // Only what withdraws a notice leads to another one.
      if (before) expect(Math.max(idleSince, owner.changedMs)).toBeGreaterThanOrEqual(before.ms);
    }
    for (const { id, ms } of allEnds.slice(seen.ends)) {
      const key = keys.get(id)!;
      const owner = owners.get(key.ownerId)!;
      const notice = allNotices.filter((each) => each.id === id || each.replaced === id).at(-1)!;
      expect([owner.isActive, owner.isHeard, owner.activeSinceMs <= notice.ms]).toEqual([true, true, true]);
      expect(ms - notice.ms).toBeGreaterThanOrEqual(7 * DAY_MS);
      const used = pairOf(keys.get(notice.id)!, notice.replaced).flatMap(({ grants }) => grants);
      expect(used.filter((grant) => grant >= notice.ms)).toEqual([]);
    }
    [seen.notices, seen.ends] = [allNotices.length, allEnds.length];
    expect(new Set(allEnds.map(({ id }) => id)).size).toBe(allEnds.length);
  }

  /** Every key that nobody has used for a day longer than allowed has a notice, or has ended. */
  async function expectNoneForgotten(): Promise<void> {
    const stored = await active();
    for (const [id, { replaced_by: next, written }] of stored) {
      const key = keys.get(id)!;
      const owner = owners.get(key.ownerId)!;
      const isPaired = (next && stored.has(next)) || (key.replaces && stored.has(key.replaces));
      const idleMs = nowMs - Math.max(last(key), owner.changedMs);
      if (isPaired || !owner.isActive || !owner.isHeard || idleMs < (AFTER_DAYS + 1) * DAY_MS) continue;
      const endsByClock = key.createdMs + 365 * DAY_MS - nowMs < 8 * DAY_MS;
      if (!endsByClock) expect({ id, isNoticed: written !== null }).toEqual({ id, isNoticed: true });
      if (written) expect((nowMs - written.getTime()) / DAY_MS).toBeLessThan(8);
    }
  }

  test('get each notice and each end once, and none that they must not get', async () => {
    for (let number = 0; number < OWNERS; number += 1) await addOwner(number);
    const seen = { notices: 0, ends: 0 };
    for (let day = 0; day < DAYS; day += 1) {
      for (const [step] of STEPS_MS.entries()) {
        const stored = await active();
        const living = [...keys.values()].filter(({ id }) => stored.has(id));
        for (const key of living) {
          const isPending = living.some(({ replaces }) => replaces === key.id) || stored.has(key.replaces ?? '');
          const owner = owners.get(key.ownerId)!;
          if (!isPending && owner.isActive && owner.isHeard && chance(0.002)) await rotate(key);
        }
        for (const owner of owners.values()) {
          if (chance(owner.isActive && owner.isHeard ? 0.003 : 0.04)) await changeOwner(owner);
          const own = living.filter(({ ownerId }) => ownerId === owner.id);
          if (own.length < 3 && owner.isActive && owner.isHeard && chance(0.05)) await addKey(owner.id);
        }
        // A key that is about to end is used more often: before, between and during the two checks.
        const used = living.filter(({ id }) => {
          const noticedMs = nowMs - (stored.get(id)!.written?.getTime() ?? nowMs);
          return chance(noticedMs >= 7 * DAY_MS ? 0.3 : noticedMs > 0 ? 0.005 : 0.01);
        });
        const early = used.filter(() => chance(0.5));
        await Promise.all(early.map(use));
        const jobs = instances.flatMap(({ revokeIdleKeys }) => [revokeIdleKeys.find(), revokeIdleKeys.check()]);
        await Promise.all([...jobs, ...used.filter((key) => !early.includes(key)).map(use)]);
        await checkRun(seen);
        const restMs = step + 1 < STEPS_MS.length ? 10 * MINUTE_MS : DAY_MS - STEPS_MS.at(-1)!;
        await pass(restMs);
      }
      await expectNoneForgotten();
    }
    const endedIds = new Set((await ended()).map(({ id }) => id));
    counts.ofKeysThatStayed = (await notices()).filter(({ id }) => !endedIds.has(id)).length;
    Object.assign(counts, seen);
    expect([counts.notices, counts.ends, counts.uses].every((count) => count > 3)).toBe(true);
    printFigures('idle keys', { days: DAYS, owners: OWNERS, keys: keys.size, ...counts });
  });
});

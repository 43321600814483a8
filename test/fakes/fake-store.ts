import type { ListedKey } from '#application/lists.js';
import type { OutboxMessage } from '#application/notice-ports.js';
import { Account } from '#domain/accounts/account.js';
import type { PlatformSignIn } from '#domain/accounts/session.js';
import type { ThrottleState } from '#domain/accounts/passwords.js';
import { type AuditEvent, storedDetails } from '#domain/audit/audit-event.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import { recordedLeak } from '#domain/audit/event-details.js';
import { LatchkeyError, Refusal } from '#domain/errors.js';
import { lowerAccess } from '#domain/accounts/access-level.js';
import { ApiKey } from '#domain/keys/api-key.js';
import type { IdleNotice } from '#domain/notices/idle-keys.js';
import type { NoticeChannel } from '#domain/notices/key-notice.js';
import { recentUse } from '#domain/usage/key-history.js';
import { utcDay } from '#domain/time.js';

type StoredAccount = Parameters<typeof Account.restore>[0];
interface StoredKey {
  readonly state: Parameters<typeof ApiKey.restore>[0];
  readonly idempotencyKey: string | undefined;
  /** Whether its account was purged. The same id may belong to another account by now. */
  readonly isPurged: boolean;
}
export type StoredGuesses = ThrottleState & { readonly hasSucceeded: boolean };
const NOTHING = { ownerId: null, keyId: null, actorId: null, reason: null, publicPart: null, details: null };
const NO_EVENT = { ...NOTHING, count: 1, clientIp: null, userAgent: null, requestId: null };

/** Everything that the fakes store, with their common clock. Tests may read and change it. */
export class FakeStore {
  readonly accounts = new Map<string, StoredAccount>();
  /** The last versions of purged accounts whose ids have not been reused. */
  readonly formerAccounts = new Map<string, bigint>();
  readonly keys = new Map<string, StoredKey>();
  readonly lastUses = new Map<string, Date>();
  /** Grants, under leases several in one, and denials, as they came. */
  readonly uses: Readonly<Record<string, unknown>>[] = [];
  /** By token. */
  readonly sessions = new Map<string, { accountId: string; expiresAt: Date; signIn?: PlatformSignIn | undefined }>();
  readonly guesses = new Map<string, StoredGuesses>();
  /** In the order of their ids. */
  events: SealableEvent[] = [];
  readonly outbox = new Map<string, OutboxMessage & { readonly channel: NoticeChannel }>();
  /** The last sequence number of each key. */
  readonly sequences = new Map<string, number>();
  /** The days of the last notice, by type and key. */
  readonly sentNotices = new Map<string, number>();
  readonly idleNotices = new Map<string, IdleNotice>();
  /** The last change that ended leases, by owner, until its call is answered. */
  readonly unanswered = new Map<string, string>();
  /** The longest LEASE_MS of all processes that serve. Undefined: there is none. */
  longestLeaseMs: number | undefined = 0;
  /** Makes events impossible to record, so that everything that records one fails. */
  isAuditTrailAway = false;
  private nowMs = Date.parse('2026-03-29T00:30:00.000Z');
  private lastEventId = 0n;
  #lastTransaction: Promise<unknown> = Promise.resolve();

  /** Stands still until a test moves it. */
  now(): Date {
    return new Date(this.nowMs);
  }

  in(ms: number): Date {
    return new Date(this.nowMs + ms);
  }

  /** Negative values move the clock back. */
  pass(ms: number): void {
    this.nowMs += ms;
  }

  /**
   * Runs transactions one after the other. A failed one is rolled back, unless it failed with a Refusal. A transaction
   * must not wait for another one that it begins.
   */
  transaction<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#lastTransaction.then(async () => {
      const tables = Object.entries(this).filter(([, rows]) => rows instanceof Object);
      const before = Object.fromEntries(
        tables.map(([name, rows]) => [name, rows instanceof Map ? new Map(rows) : rows]),
      );
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Refusal)) Object.assign(this, before);
        throw error;
      }
    });
    this.#lastTransaction = result.catch(() => undefined);
    return result;
  }

  account(id: string): Account | undefined {
    const stored = this.accounts.get(id);
    return stored && Account.restore(stored);
  }

  managedBy(personId: string): Account[] {
    const ids = [...this.accounts.keys()].sort();
    return ids.map((id) => this.account(id)!).filter(({ managers }) => managers.includes(personId));
  }

  /** Without what PostgreSQL adds up. */
  listed(key: ApiKey): ListedKey {
    const { createdBy: id } = key;
    const revoked = this.events.find(({ keyId, type }) => keyId === key.id && type === 'api_key.revoked');
    return {
      key,
      now: this.now(),
      access: lowerAccess(key.snapshot().access, this.accounts.get(key.ownerId)?.limits.maxAccess),
      createdBy: { id, displayName: this.accounts.get(id)?.displayName ?? '', isFormerManager: false },
      lastUsedAt: this.lastUses.get(key.id) ?? null,
      idleEndsAt: null,
      couldNarrow: null,
      recent: recentUse([], utcDay(this.now())),
      handled: [],
      revocation: revoked ? { reason: revoked.reason, leak: recordedLeak(revoked) } : null,
    };
  }

  allKeys(): ApiKey[] {
    return [...this.keys.values()].map(({ state }) => ApiKey.restore(state));
  }

  saveKey(key: ApiKey): void {
    this.keys.set(key.id, { ...this.keys.get(key.id)!, state: key.snapshot() });
  }

  /** The id is lost if the transaction fails. */
  addEvent(event: Pick<SealableEvent, 'type'> & Partial<SealableEvent>): void {
    if (this.isAuditTrailAway) throw new LatchkeyError('unavailable', 'The audit trail is away');
    this.lastEventId += 1n;
    this.events = [...this.events, { ...NO_EVENT, id: this.lastEventId, at: this.now(), ...event }];
  }

  addChange(ownerId: string | null, change: AuditEvent): void {
    const { client, actorKind: _, ...event } = change;
    const { ip: clientIp, userAgent, requestId } = client;
    this.addEvent({ ...event, ownerId, clientIp, userAgent, requestId, details: storedDetails(change) });
  }
}

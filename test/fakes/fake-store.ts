import { Account } from '../../src/domain/accounts/account.js';
import type { PlatformSignIn } from '../../src/domain/accounts/fresh-sign-in.js';
import type { ThrottleState } from '../../src/domain/accounts/password-throttle.js';
import type { AuditEvent } from '../../src/domain/audit/audit-event.js';
import type { AuditPruning } from '../../src/domain/audit/audit-pruning.js';
import type { AuditSeal, SealableEvent } from '../../src/domain/audit/audit-seal.js';
import type { OutboxMessage } from '../../src/application/notice-ports.js';
import type { NoticeChannel } from '../../src/domain/notices/channel.js';
import { LatchkeyError } from '../../src/domain/errors.js';
import { ApiKey } from '../../src/domain/keys/api-key.js';
import type { LeakReport } from '../../src/domain/leaks/leak-report.js';
import type { AddressUse, DayCount } from '../../src/domain/usage/key-history.js';
import type { KeyNetworksState } from '../../src/domain/usage/key-networks.js';
import { Locks } from './locks.js';

export type StoredAccount = Parameters<typeof Account.restore>[0];
export interface StoredKey {
  readonly state: Parameters<typeof ApiKey.restore>[0];
  readonly idempotencyKey: string | undefined;
  /** Of an account that was purged: its id may have another one by now. */
  readonly isPurged: boolean;
}
export interface StoredSession {
  readonly accountId: string;
  readonly expiresAt: Date;
  readonly signIn?: PlatformSignIn | undefined;
}
export interface StoredGuesses extends ThrottleState {
  readonly hasSucceeded: boolean;
}
/** Without a key there is neither a seal nor a MAC. */
export interface StoredPruning extends Omit<AuditPruning, 'toSealId' | 'mac'> {
  readonly toSealId: bigint | null;
  readonly mac: Buffer | null;
}

const NO_EVENT: Omit<SealableEvent, 'id' | 'at' | 'type'> = {
  ownerId: null,
  keyId: null,
  actorId: null,
  reason: null,
  count: 1,
  publicPart: null,
  clientIp: null,
  userAgent: null,
  requestId: null,
  details: null,
};

export interface StoredMessage extends OutboxMessage {
  readonly channel: NoticeChannel;
  readonly ownerId: string;
  readonly tries: number;
  readonly nextTryAt: Date;
  readonly giveUpAt: Date;
  readonly claimedUntil: Date | null;
  readonly failedAt: Date | null;
  readonly lastError: string | null;
}

/** What one key did. */
export interface StoredUsage {
  readonly addresses: Map<string, AddressUse>;
  readonly days: Map<number, DayCount>;
  networks: KeyNetworksState;
}

/** What all fakes of one world keep, committed, for a test to look at and to tamper with; and the clock of them all. */
export class FakeStore {
  readonly accounts = new Map<string, StoredAccount>();
  /** The last versions of accounts that were purged, and whose ids no new account has. */
  readonly formerAccounts = new Map<string, bigint>();
  /** The last event before an account was opened under the id of a purged one, by that id. */
  readonly formerEvents = new Map<string, bigint>();
  readonly keys = new Map<string, StoredKey>();
  readonly lastUses = new Map<string, Date>();
  /** By the ids of the keys, like last uses. */
  readonly usage = new Map<string, StoredUsage>();
  /** By their tokens. */
  readonly sessions = new Map<string, StoredSession>();
  readonly guesses = new Map<string, StoredGuesses>();
  /** In the order in which they came, each held while somebody works it off. */
  readonly leakReports = new Map<LeakReport, { isHeld: boolean }>();
  /** When a network's budget of reports is whole again. */
  readonly reportBudgets = new Map<string, Date>();
  /** In the order of their ids, like seals and prunings. */
  events: SealableEvent[] = [];
  seals: AuditSeal[] = [];
  prunings: StoredPruning[] = [];
  /** The transactions that have been given an event's id and have not ended. */
  readonly writers = new Set<string>();
  readonly outbox = new Map<string, StoredMessage>();
  /** The last one of each key. */
  readonly sequences = new Map<string, number>();
  /** The fewest days that were told of a key's coming expiry. */
  readonly toldExpiries = new Map<string, number>();
  readonly toldRotations = new Set<string>();
  readonly locks = new Locks();
  /** Whether events can't be recorded, and so nothing that needs one can be done. */
  isRecordAway = false;
  private nowMs = Date.parse('2026-03-29T00:30:00.000Z');
  private lastEventId = 0n;

  /** Stands still until a test moves it. */
  now(): Date {
    return new Date(this.nowMs);
  }

  /** Backwards too. */
  pass(ms: number): void {
    this.nowMs += ms;
  }

  account(id: string): Account | undefined {
    const stored = this.accounts.get(id);
    return stored && Account.restore(stored);
  }

  /** An id is given out when the event is written, and lost if it is never committed. */
  newEvent(event: Pick<SealableEvent, 'type'> & Partial<SealableEvent>): SealableEvent {
    this.requireRecord();
    this.lastEventId += 1n;
    return { ...NO_EVENT, id: this.lastEventId, at: this.now(), ...event };
  }

  /** The event of a change, as it is stored. */
  newChange(ownerId: string, { client, details, ...event }: AuditEvent): SealableEvent {
    const { ip: clientIp, userAgent, requestId } = client;
    const text = details ? JSON.stringify(details) : null;
    return this.newEvent({ ...event, ownerId, clientIp, userAgent, requestId, details: text });
  }

  /** Statements that may write an event need the record even when there is none to write. */
  requireRecord(): void {
    if (this.isRecordAway) throw new LatchkeyError('unavailable', 'The record is away');
  }

  /** Given out to an event, committed or not. */
  get newestEventId(): bigint {
    return this.lastEventId;
  }

  addEvents(...events: readonly SealableEvent[]): void {
    this.events = [...this.events, ...events].sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}

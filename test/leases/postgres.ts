import type { AccountLimits } from '../../src/domain/accounts/account-limits.js';
import type { AccountStatus } from '../../src/domain/accounts/account.js';
import { KeyStanding } from '../../src/domain/keys/key-standing.js';
import type { Registration } from '../../src/domain/leases/registration.js';
import type { VirtualTime } from './virtual-time.js';

export interface KeyRow {
  readonly id: string;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly endsAt: Date | null;
  readonly subset: readonly string[] | null;
  readonly networks: readonly string[] | null;
  /** Of a key that is being rotated. */
  readonly graceSeconds: number | null;
  readonly replaces: string | null;
  readonly awaitsFirstUse: boolean;
}

export interface AccountRow {
  readonly id: string;
  /** Unique and growing: each change of the account, or of one of its keys, has a new one. */
  readonly version: number;
  readonly status: AccountStatus;
  readonly permissions: readonly string[];
  readonly limits: AccountLimits;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly keys: readonly KeyRow[];
}

/** All that is committed. It is never changed, so that a snapshot is a reference. */
export interface Rows {
  readonly accounts: readonly AccountRow[];
  readonly registrations: readonly Registration[];
  readonly pending: readonly { readonly changeId: string; readonly ownerId: string }[];
  /** The row of `lease_timeline`. */
  readonly complete: number | undefined;
}

const standings = new WeakMap<KeyRow, KeyStanding>();
const DIGEST = Buffer.alloc(32);

/** A key as the service judges it. */
export function standingOf(account: AccountRow, key: KeyRow): KeyStanding {
  let standing = standings.get(key);
  if (!standing) {
    const {
      id,
      expiresAt,
      revokedAt,
      endsAt,
      awaitsFirstUse: awaitsUse,
      subset: permissions,
      networks: allowedNetworks,
    } = key;
    const restrictions = { permissions, allowedNetworks };
    const fixed = {
      access: 'read-and-write',
      digest: DIGEST,
      createdAt: new Date(0),
      expiredAt: null,
      awaitsUse: false,
    } as const;
    const times = { expiresAt, revokedAt, endsAt, awaitsUse };
    standing = KeyStanding.restore({ id, ownerId: account.id, ...fixed, ...times, ...restrictions, owner: account });
    standings.set(key, standing);
  }
  return standing.ownedBy(account);
}

/** One primary at a time. What was sent to one that was replaced fails. */
export class Postgres {
  rows: Rows;
  timeline = 1;
  private history: Rows[] = [];
  private readonly locked = new Map<string, (() => void)[]>();
  /** Transactions that found `lease_timeline` empty. They lock the table until they end. */
  private emptyReaders = new Set<object>();
  private readonly waitForReaders: (() => void)[] = [];

  constructor(
    private readonly time: VirtualTime,
    rows: Rows,
    private readonly clockRate: number,
  ) {
    this.rows = rows;
  }

  /** The epoch, so that a day never begins within a schedule. */
  get clock(): Date {
    return new Date(1_000_000 + this.time.now * this.clockRate);
  }

  commit(rows: Partial<Rows>): void {
    this.history.push(this.rows);
    this.rows = { ...this.rows, ...rows };
  }

  account(id: string): AccountRow {
    return this.rows.accounts.find((each) => each.id === id)!;
  }

  commitAccount(account: AccountRow): void {
    this.commit({ accounts: this.rows.accounts.map((each) => (each.id === account.id ? account : each)) });
  }

  /** Runs once the lock of the account is free. The caller releases it. */
  lock(id: string, run: () => void): void {
    const queue = this.locked.get(id);
    if (queue) return void queue.push(run);
    this.locked.set(id, []);
    run();
  }

  release(id: string): void {
    const queue = this.locked.get(id);
    const next = queue?.shift();
    if (next) next();
    else this.locked.delete(id);
  }

  readEmptyTimeline(transaction: object): void {
    this.emptyReaders.add(transaction);
  }

  endOfTransaction(transaction: object): void {
    this.emptyReaders.delete(transaction);
    if (this.emptyReaders.size === 0) for (const run of this.waitForReaders.splice(0)) run();
  }

  /** Runs once no transaction is open that found `lease_timeline` empty. */
  whenNoneFoundItEmpty(run: () => void): void {
    if (this.emptyReaders.size === 0) run();
    else this.waitForReaders.push(run);
  }

  /**
   * A standby becomes the primary. The old one had ended before.
   * @param missing how many of the last commits it lacks. The first registration is never among them
   */
  promote(missing: number): void {
    let index = this.history.length - missing;
    if (missing > 0 && this.rows.complete !== undefined) {
      while (index < this.history.length && this.history[index]!.complete === undefined) index += 1;
    }
    this.rows = this.history[index] ?? this.rows;
    this.history = this.history.slice(0, index);
    this.timeline += 1;
    this.locked.clear();
    this.emptyReaders = new Set();
    this.waitForReaders.length = 0;
  }

  get commits(): number {
    return this.history.length;
  }
}

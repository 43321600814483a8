import { randomUUID } from 'node:crypto';
import type { AccountTransaction } from '../../../src/application/account-transaction.js';
import type { ListedKey } from '../../../src/application/lists.js';
import { type Account, emailKey } from '../../../src/domain/accounts/account.js';
import { FormerAccount } from '../../../src/domain/accounts/former-account.js';
import type { AuditEvent } from '../../../src/domain/audit/audit-event.js';
import type { SealableEvent } from '../../../src/domain/audit/audit-seal.js';
import { LatchkeyError } from '../../../src/domain/errors.js';
import { ApiKey } from '../../../src/domain/keys/api-key.js';
import { isOpen } from '../../../src/domain/keys/key-status.js';
import type { KeyNotice } from '../../../src/domain/notices/key-notice.js';
import { forgetMail, writeOutbox } from '../notices/write-outbox.js';
import type { FakeStore, StoredAccount, StoredKey } from '../fake-store.js';
import { accountRow, emailRow, keyRow } from '../locks.js';

/** Keeps what it writes to itself until it commits. */
export class FakeAccountTransaction implements AccountTransaction {
  readonly account: Account | undefined;
  readonly formerAccount: FormerAccount | undefined;
  readonly now: Date;
  private readonly name = randomUUID();
  private readonly held = new Map<string, () => void>();
  private savedAccount: StoredAccount | undefined;
  /** The newest event when the account was saved. */
  private eventsBefore = 0n;
  private forgotten: FormerAccount | undefined;
  private endsSessions = false;
  private readonly savedKeys = new Map<string, StoredKey>();
  private readonly events: SealableEvent[] = [];
  private readonly notices: KeyNotice[] = [];

  private constructor(
    private readonly store: FakeStore,
    private readonly id: string,
    letGo: () => void,
  ) {
    this.held.set(accountRow(id), letGo);
    this.account = store.account(id);
    const version = store.formerAccounts.get(id);
    this.formerAccount = version === undefined ? undefined : FormerAccount.restore(id, version);
    this.now = store.now();
  }

  static async begin(store: FakeStore, id: string): Promise<FakeAccountTransaction> {
    return new FakeAccountTransaction(store, id, await store.locks.take(accountRow(id)));
  }

  async saveAccount(account: Account): Promise<void> {
    const { id, email, displayName, permissions, passwordHash, status, version } = account;
    await this.lock(emailRow(emailKey(email)));
    const others = [...this.store.accounts.values()].filter((other) => other.id !== id);
    if (others.some((other) => emailKey(other.email) === emailKey(email))) {
      throw new LatchkeyError('email_taken', 'email belongs to another account');
    }
    this.eventsBefore = this.store.newestEventId;
    this.savedAccount = { id, email, displayName, permissions, passwordHash, status, version };
  }

  async forgetAccount(former: FormerAccount): Promise<void> {
    this.forgotten = former;
    for (const key of this.keys()) {
      this.savedKeys.set(key.state.id, { ...key, idempotencyKey: undefined, isPurged: true });
    }
  }

  async endSessions(): Promise<void> {
    this.endsSessions = true;
  }

  async openKeys(): Promise<ApiKey[]> {
    for (const { state } of this.keys()) if (isOpen(state)) await this.lock(keyRow(state.id));
    const open = this.keys().filter(({ state }) => isOpen(state));
    return open.map(({ state }) => ApiKey.restore(state));
  }

  async findKey(keyId: string): Promise<ListedKey | undefined> {
    if (this.key(keyId)?.isPurged !== false) return undefined;
    await this.lock(keyRow(keyId));
    return { key: ApiKey.restore(this.key(keyId)!.state), lastUsedAt: this.store.lastUses.get(keyId) ?? null };
  }

  async findKeyByIdempotencyKey(idempotencyKey: string): Promise<string | undefined> {
    return this.keys().find((key) => key.idempotencyKey === idempotencyKey)?.state.id;
  }

  async addKey(key: ApiKey, idempotencyKey: string | undefined): Promise<void> {
    this.savedKeys.set(key.id, { state: key.snapshot(), idempotencyKey, isPurged: false });
  }

  async saveKey(key: ApiKey): Promise<void> {
    const stored = this.key(key.id);
    if (stored) this.savedKeys.set(key.id, { ...stored, state: key.snapshot() });
  }

  async record(event: AuditEvent): Promise<void> {
    this.events.push(this.store.newChange(this.id, event));
    this.store.writers.add(this.name);
  }

  async tell(notice: KeyNotice): Promise<void> {
    this.notices.push(notice);
  }

  commit(): void {
    const { accounts, formerAccounts, formerEvents, sessions, keys } = this.store;
    if (this.savedAccount) {
      accounts.set(this.id, this.savedAccount);
      if (formerAccounts.delete(this.id)) formerEvents.set(this.id, this.eventsBefore);
    }
    if (this.forgotten) {
      accounts.delete(this.id);
      formerAccounts.set(this.id, this.forgotten.version);
      forgetMail(this.store, this.id);
    }
    for (const [token, { accountId }] of sessions) {
      if (this.endsSessions && accountId === this.id) sessions.delete(token);
    }
    for (const [id, key] of this.savedKeys) {
      keys.set(id, key);
      if (key.isPurged) for (const told of [this.store.lastUses, this.store.usage]) told.delete(id);
    }
    this.store.addEvents(...this.events);
    writeOutbox(this.store, this.notices);
  }

  end(): void {
    this.store.writers.delete(this.name);
    for (const letGo of this.held.values()) letGo();
  }

  private async lock(row: string): Promise<void> {
    if (!this.held.has(row)) this.held.set(row, await this.store.locks.take(row));
  }

  private key(id: string): StoredKey | undefined {
    return this.keys().find(({ state }) => state.id === id);
  }

  /** The account's, as this transaction sees them, in the order of their ids: so all lock them in one order. */
  private keys(): StoredKey[] {
    const seen = [...new Map([...this.store.keys, ...this.savedKeys]).values()];
    const own = seen.filter(({ state }) => state.ownerId === this.id);
    return own.sort((one, other) => (one.state.id < other.state.id ? -1 : 1));
  }
}

import { Any, IsNull, type EntityManager } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { AuditEvent } from '#domain/audit/audit-event.js';
import type { AccountTransaction } from '#application/account-ports.js';
import type { ListedKey } from '#application/lists.js';
import { type Account } from '#domain/accounts/account.js';
import { FormerAccount } from '#domain/accounts/former-account.js';
import type { IdleNotice } from '#domain/notices/idle-keys.js';
import type { KeyNotice } from '#domain/notices/key-notice.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { LatchkeyError } from '#domain/errors.js';
import { OutboxRow, type OutboxWriter } from '../outbox/outbox-writer.js';
import { AuditEventRow, fromAuditEvent } from '../audit/audit-rows.js';
import { databaseNow } from '../client/database.js';
import { listedKeys } from '../keys/listed-keys.js';
import { ApiKeyRow, changingColumns, fromApiKey, IdleNoticeRow, keysBy, toApiKey } from '../keys/key-rows.js';
import { AccountRow, fromAccount, fromFormerAccount, managedBy, toAccount } from '../accounts/account-rows.js';
import { SessionRow } from '../sign-in/sessions.js';
import { forgetUsage } from '../usage/usage-writer.js';
import { isUniqueViolation } from '../client/errors.js';

/** The highest event id handed out so far, by a committed transaction or not. */
const NEWEST_EVENT = '(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit_events_id_seq)';

interface Begun {
  readonly id: string;
  readonly others: readonly string[];
  readonly endsIdleKeys: boolean;
}

/** Also of the key that this one replaces. */
const FOUND_IDLE = `
  UPDATE api_keys SET found_idle = $3::boolean
  WHERE owner_id = $2 AND (id = $1 OR replaced_by = $1) AND found_idle IS DISTINCT FROM $3::boolean`;
const USED = `
  WITH pair AS (SELECT id FROM api_keys WHERE owner_id = $2 AND (id = $1 OR replaces = $1 OR replaced_by = $1)),
    withdrawn AS (DELETE FROM idle_notices WHERE key_id IN (SELECT id FROM pair)),
    found AS (UPDATE api_keys SET found_idle = NULL WHERE found_idle AND id IN (SELECT id FROM pair))
  INSERT INTO api_key_usage (key_id, last_used_at) VALUES ($1, $3)
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(api_key_usage.last_used_at, excluded.last_used_at)`;

export class PostgresAccountTransaction implements AccountTransaction {
  readonly account: Account | undefined;
  readonly formerAccount: FormerAccount | undefined;
  readonly unanswered: string | undefined;
  endsLeases = false;
  private readonly others: readonly Account[];
  private readonly notices: KeyNotice[] = [];

  private constructor(
    private readonly manager: EntityManager,
    private readonly id: string,
    rows: readonly AccountRow[],
    private readonly endsIdleKeys: boolean,
    readonly now: Date,
  ) {
    const row = rows.find((locked) => locked.id === id);
    this.unanswered = row?.unanswered ?? undefined;
    this.account = row && !row.purged ? toAccount(row) : undefined;
    this.others = rows.filter((locked) => locked !== row && !locked.purged).map(toAccount);
    this.formerAccount = row?.purged ? FormerAccount.restore(id, BigInt(row.version)) : undefined;
  }

  /**
   * Locks the rows in the order of their ids, so that two transactions can't deadlock. Reads the clock after that, so that
   * `now` is never earlier than what the previous holder wrote.
   */
  static async begin(manager: EntityManager, { id, others, endsIdleKeys }: Begun) {
    const lock = { mode: 'for_no_key_update' } as const;
    const rows = await manager.find(AccountRow, { where: { id: Any([id, ...others]) }, order: { id: 'ASC' }, lock });
    return new PostgresAccountTransaction(manager, id, rows, endsIdleKeys, await databaseNow(manager));
  }

  async leaveUnanswered(changeId: string): Promise<void> {
    await this.manager.update(AccountRow, this.id, { unanswered: changeId });
  }

  other(id: string): Account | undefined {
    return this.others.find((account) => account.id === id);
  }

  async managedIds(): Promise<string[]> {
    return (await managedBy(this.manager, this.id)).map(({ id }) => id);
  }

  async saveAccount(account: Account): Promise<void> {
    this.endsLeases ||= account.endsLeases;
    const row = fromAccount(account);
    try {
      const update = (change: QueryDeepPartialEntity<AccountRow>) =>
        this.manager.update(AccountRow, account.id, change);
      if (this.account || account.id !== this.id) await update(row);
      else if (this.formerAccount) await update({ ...row, formerEventId: () => NEWEST_EVENT });
      else await this.manager.insert(AccountRow, row);
    } catch (error) {
      if (!isUniqueViolation(error, 'accounts_email_key')) throw error;
      throw new LatchkeyError('email_taken', 'email belongs to another account');
    }
  }

  async forgetAccount(former: FormerAccount): Promise<void> {
    this.endsLeases ||= former.endsLeases;
    await this.manager.update(AccountRow, this.id, fromFormerAccount(former));
    await this.manager.update(ApiKeyRow, { ownerId: this.id }, { purged: true, idempotencyKey: null });
    await forgetUsage(this.manager, this.id);
    const channel = 'mail';
    await this.manager.delete(OutboxRow, [
      { ownerId: this.id, channel },
      { recipient: this.id, channel },
    ]);
  }

  async endSessions(): Promise<void> {
    await this.manager.delete(SessionRow, { accountId: this.id });
  }

  /** Locks the rows of the keys, in the order of their ids: an expiry may be recorded without locking the account. */
  async openKeys(): Promise<ApiKey[]> {
    const where = { ownerId: this.id, revokedAt: IsNull(), expiredAt: IsNull() };
    const lock = { mode: 'for_no_key_update' } as const;
    return (await this.manager.find(ApiKeyRow, { where, order: { id: 'ASC' }, lock })).map(toApiKey);
  }

  /** Locks the row, as `openKeys` does. */
  async findKey(id: string): Promise<ApiKey | undefined> {
    const where = { id, ownerId: this.id, purged: false };
    const row = await this.manager.findOne(ApiKeyRow, { where, lock: { mode: 'for_no_key_update' } });
    return row ? toApiKey(row) : undefined;
  }

  async listed(key: ApiKey): Promise<ListedKey> {
    const { now, endsIdleKeys } = this;
    const [listed] = await listedKeys(this.manager, [key], { now, endsIdleKeys });
    return listed!;
  }

  async lastUses(): Promise<ReadonlyMap<string, Date>> {
    const open = 'SELECT id FROM api_keys WHERE owner_id = $1 AND revoked_at IS NULL AND expired_at IS NULL';
    const query = `SELECT key_id AS id, last_used_at AS at FROM api_key_usage WHERE key_id IN (${open})`;
    const rows = await this.manager.query<{ id: string; at: Date }[]>(query, [this.id]);
    return new Map(rows.map(({ id, at }) => [id, at]));
  }

  async idleNotices(): Promise<ReadonlyMap<string, IdleNotice>> {
    const rows = await this.manager
      .createQueryBuilder(IdleNoticeRow, 'notice')
      .innerJoin(ApiKeyRow, 'key', 'key.id = notice.key_id')
      .where('key.owner_id = :ownerId AND NOT key.purged', { ownerId: this.id })
      .getMany();
    return new Map(rows.map(({ keyId, ...notice }) => [keyId, notice]));
  }

  async saveIdleNotice(keyId: string, notice: IdleNotice | undefined): Promise<void> {
    if (notice) await this.manager.upsert(IdleNoticeRow, { keyId, ...notice }, ['keyId']);
    else await this.manager.delete(IdleNoticeRow, { keyId });
    await this.manager.query(FOUND_IDLE, [keyId, this.id, notice?.foundIdleAt ? true : null]);
  }

  async recordUse(keyId: string, at: Date): Promise<void> {
    await this.manager.query(USED, [keyId, this.id, at]);
  }

  async findKeyByIdempotencyKey(idempotencyKey: string, createdBy: string): Promise<string | undefined> {
    const maker = createdBy === this.id ? IsNull() : createdBy;
    const where = { ownerId: this.id, createdBy: maker, idempotencyKey };
    return (await this.manager.findOne(ApiKeyRow, { where, select: { id: true } }))?.id;
  }

  async keyMadeAt(keysBack: number): Promise<Date | undefined> {
    const where = { ownerId: this.id, purged: false, displayPrefix: IsNull() };
    const order = { createdAt: 'DESC', id: 'DESC' } as const;
    const [row] = await this.manager.find(ApiKeyRow, {
      where,
      order,
      select: { id: true, createdAt: true },
      skip: keysBack - 1,
      take: 1,
    });
    return row?.createdAt;
  }

  findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]> {
    return keysBy(this.manager, 'publicPart', publicParts);
  }

  async addKey(key: ApiKey, idempotencyKey: string | undefined): Promise<void> {
    await this.manager.insert(ApiKeyRow, fromApiKey(key, idempotencyKey ?? null));
  }

  async saveKey(key: ApiKey): Promise<void> {
    this.endsLeases ||= key.endsLeases;
    await this.manager.update(ApiKeyRow, { id: key.id, ownerId: this.id }, changingColumns(key));
  }

  async record(event: AuditEvent, ownerId = this.id): Promise<void> {
    await this.manager.insert(AuditEventRow, fromAuditEvent(event, ownerId));
  }

  async notify(notice: KeyNotice): Promise<void> {
    this.notices.push(notice);
  }

  /** Writes all collected notices. OutboxWriter must run once in a transaction, as its last step. */
  async finish(outbox: OutboxWriter): Promise<void> {
    await outbox.write(this.manager, this.notices);
  }
}

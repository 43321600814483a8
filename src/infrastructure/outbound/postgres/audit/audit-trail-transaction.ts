import type { EntityManager } from 'typeorm';
import { IsNull, Not } from 'typeorm';
import type { AuditTrailSnapshot, AuditTrailTransaction } from '../../../../application/audit/audit-trail.js';
import type { AuditPruning } from '../../../../domain/audit/audit-pruning.js';
import type { AuditSeal, SealableEvent } from '../../../../domain/audit/audit-seal.js';
import { fromSeal, toPruning, toSeal, toSealableEvent } from './mapping.js';
import { AuditEventRow, AuditPruningRow, AuditSealRow } from './rows.js';
import { databaseNow } from '../client/database.js';
import { accountHistories, keyHistories } from './histories.js';
import { pageFrom, pagesById } from './pages-by-id.js';

const LAST_ID = 2n ** 63n - 1n;

/**
 * A transaction that writes to a table takes this lock before its first row and holds it until it ends. So the holders
 * include every transaction that has been given an event's id and has not committed yet.
 */
const WRITERS = `
  SELECT virtualtransaction AS name FROM pg_locks
  WHERE locktype = 'relation' AND relation = 'audit_events'::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Runs at READ COMMITTED, where each statement sees what was committed before it. */
export class PostgresAuditTrailTransaction implements AuditTrailTransaction, AuditTrailSnapshot {
  private constructor(
    private readonly manager: EntityManager,
    readonly now: Date,
  ) {}

  static async begin(manager: EntityManager): Promise<PostgresAuditTrailTransaction> {
    return new PostgresAuditTrailTransaction(manager, await databaseNow(manager));
  }

  async newestSeal(): Promise<AuditSeal | undefined> {
    const [row] = await this.manager.find(AuditSealRow, { order: { id: 'DESC' }, take: 1 });
    return row && toSeal(row);
  }

  async *seals(fromId: bigint): AsyncIterable<AuditSeal> {
    for await (const row of this.pages(AuditSealRow, fromId)) yield toSeal(row);
  }

  async *events(fromId: bigint): AsyncIterable<SealableEvent> {
    for await (const row of this.pages(AuditEventRow, fromId)) yield toSealableEvent(row);
  }

  async prunings(): Promise<AuditPruning[]> {
    const rows = await this.manager.find(AuditPruningRow, { where: { mac: Not(IsNull()) }, order: { id: 'ASC' } });
    return rows.map(toPruning);
  }

  keys() {
    return keyHistories(this.manager);
  }

  accounts() {
    return accountHistories(this.manager);
  }

  async prunedUnsealedAt(): Promise<Date | undefined> {
    const last = { where: { mac: IsNull() }, order: { id: 'DESC' }, take: 1 } as const;
    const [row] = await this.manager.find(AuditPruningRow, last);
    return row?.prunedAt;
  }

  async newestEventId(): Promise<bigint> {
    const [row] = await this.manager.query<{ id: string }[]>('SELECT coalesce(max(id), 0) AS id FROM audit_events');
    return BigInt(row!.id);
  }

  async writers(): Promise<string[]> {
    return (await this.manager.query<{ name: string }[]>(WRITERS)).map(({ name }) => name);
  }

  async addSeal(seal: AuditSeal): Promise<void> {
    await this.manager.insert(AuditSealRow, fromSeal(seal));
  }

  async lastPruningId(): Promise<bigint> {
    const [row] = await this.manager.query<{ id: string }[]>('SELECT coalesce(max(id), 0) AS id FROM audit_prunings');
    return BigInt(row!.id);
  }

  async prune({ id, toSealId, toEventId, prunedAt, mac }: AuditPruning): Promise<number> {
    const record = { id: String(id), toSealId: String(toSealId), toEventId: String(toEventId), prunedAt, mac };
    return this.pruneOnRecord(record);
  }

  /** Deletes the oldest events without a gap, so that the last id describes what was deleted. */
  async pruneUnsealed(before: Date, limit: number): Promise<number> {
    const [row] = await this.manager.query<{ to: string | null }[]>(
      `WITH oldest AS (SELECT id, at FROM audit_events ORDER BY id LIMIT $2)
       SELECT max(id) AS to FROM oldest
       WHERE id < coalesce((SELECT min(id) FROM oldest WHERE at >= $1), ${LAST_ID})`,
      [before, limit],
    );
    const toEventId = row?.to;
    if (!toEventId) return 0;
    const id = (await this.lastPruningId()) + 1n;
    return this.pruneOnRecord({ id: String(id), toSealId: null, toEventId, prunedAt: this.now, mac: null });
  }

  /** Inserts the pruning before it deletes the events, because the table refuses any other deletion. */
  private async pruneOnRecord(record: AuditPruningRow): Promise<number> {
    await this.manager.insert(AuditPruningRow, record);
    const deleted = await this.manager.query<[unknown[], number]>('DELETE FROM audit_events WHERE id <= $1', [
      record.toEventId,
    ]);
    return deleted[1];
  }

  private pages<Row extends { id: string }>(table: new () => Row, fromId: bigint): AsyncIterable<Row> {
    return pagesById((from) => pageFrom(this.manager, table, from).getMany(), fromId);
  }
}

import { type EntityManager, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import {
  type AuditTrailSnapshot,
  type AuditTrailTransaction,
  FIRST_ID,
  type TimeSpan,
  type AuditTrail,
} from '#application/audit-ports.js';
import type { AuditPruning, AuditSeal, SealableEvent } from '#domain/audit/audit-seal.js';
import { type Database, databaseNow } from '../client/database.js';
import type { PrimaryClient } from '../client/connection.js';
import { AuditEventRow, AuditPruningRow, AuditSealRow, toSealableEvent } from './audit-rows.js';
import { accountHistories, keyHistories } from './histories.js';

/** An arbitrary number, the same on all instances. One instance seals or prunes; the others skip their turn. */
const TRAIL_LOCK = 5_052_193_862;

export class PostgresAuditTrail implements AuditTrail {
  constructor(private readonly database: Database) {}

  unsealedEvents(): Promise<number> {
    return this.database.run(async (manager) => {
      const [row] = await manager.query<{ unsealed: string }[]>(
        `SELECT greatest(0, coalesce((SELECT max(id) FROM audit_events), 0)
          - coalesce((SELECT to_event_id FROM audit_seals ORDER BY id DESC LIMIT 1), 0)) AS unsealed`,
      );
      return Number(row!.unsealed);
    });
  }

  async *events({ since, until }: TimeSpan): AsyncIterable<SealableEvent> {
    const rows = rowsById(this.database, AuditEventRow, FIRST_ID, (page) => {
      if (since) page.andWhere('row.at >= :since', { since });
      if (until) page.andWhere('row.at < :until', { until });
    });
    for await (const row of rows) yield toSealableEvent(row);
  }

  exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined> {
    return this.database.transaction(async (manager) => {
      // PostgreSQL releases the lock when the transaction ends.
      const lock = 'SELECT pg_try_advisory_xact_lock($1) AS taken';
      const [row] = await manager.query<{ taken: boolean }[]>(lock, [TRAIL_LOCK]);
      return row!.taken ? work(await PostgresAuditTrailTransaction.begin(manager)) : undefined;
    });
  }

  read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T> {
    return this.database.snapshot(async (manager) => work(await PostgresAuditTrailTransaction.begin(manager)));
  }
}

const LAST_ID = 2n ** 63n - 1n;
/** Rows for each read. The process answers no other request while it handles a page. */
const PAGE = 500;

/** All that may have an event's id and have not committed: writing takes this lock before the first row. */
const WRITERS = `
  SELECT virtualtransaction AS name FROM pg_locks
  WHERE locktype = 'relation' AND relation = 'audit_events'::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Runs at READ COMMITTED, where each statement sees what was committed before it. */
class PostgresAuditTrailTransaction implements AuditTrailTransaction, AuditTrailSnapshot {
  private readonly reader: Pick<Database, 'run'> = { run: (work) => work(this.manager) };

  private constructor(
    private readonly manager: EntityManager,
    readonly now: Date,
    readonly timeline: number,
  ) {}

  static async begin(manager: EntityManager): Promise<PostgresAuditTrailTransaction> {
    const { timeline } = (await manager.queryRunner!.connect()) as PrimaryClient;
    return new PostgresAuditTrailTransaction(manager, await databaseNow(manager), timeline!);
  }

  async newestSeal(): Promise<AuditSeal | undefined> {
    const [row] = await this.manager.find(AuditSealRow, { order: { id: 'DESC' }, take: 1 });
    return row;
  }

  seals(fromId: bigint): AsyncIterable<AuditSeal> {
    return rowsById(this.reader, AuditSealRow, fromId);
  }

  async *events(fromId: bigint): AsyncIterable<SealableEvent> {
    for await (const row of rowsById(this.reader, AuditEventRow, fromId)) yield toSealableEvent(row);
  }

  async prunings(): Promise<AuditPruning[]> {
    const rows = await this.manager.find(AuditPruningRow, { where: { mac: Not(IsNull()) }, order: { id: 'ASC' } });
    return rows.map(({ toSealId, mac, ...row }) => ({ ...row, toSealId: toSealId ?? 0n, mac: mac! }));
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

  newestEventId(): Promise<bigint> {
    return this.lastId('audit_events');
  }

  async writers(): Promise<string[]> {
    return (await this.manager.query<{ name: string }[]>(WRITERS)).map(({ name }) => name);
  }

  async addSeal(seal: AuditSeal): Promise<void> {
    await this.manager.insert(AuditSealRow, seal);
  }

  lastPruningId(): Promise<bigint> {
    return this.lastId('audit_prunings');
  }

  /** Inserts the pruning before it deletes the events, because the table refuses any other deletion. */
  async prune(pruning: AuditPruningRow): Promise<number> {
    await this.manager.insert(AuditPruningRow, pruning);
    const statement = 'DELETE FROM audit_events WHERE id <= $1';
    const [, count] = await this.manager.query<[unknown[], number]>(statement, [String(pruning.toEventId)]);
    return count;
  }

  /** Deletes the oldest events without a gap, so that the last id describes what was deleted. */
  async pruneUnsealed(before: Date, limit: number): Promise<number> {
    const [row] = await this.manager.query<{ to: string | null }[]>(
      `WITH oldest AS (SELECT id, at FROM audit_events ORDER BY id LIMIT $2)
       SELECT max(id) AS to FROM oldest
       WHERE id < coalesce((SELECT min(id) FROM oldest WHERE at >= $1), ${LAST_ID})`,
      [before, limit],
    );
    if (!row?.to) return 0;
    const id = (await this.lastPruningId()) + 1n;
    return this.prune({ id, toSealId: null, toEventId: BigInt(row.to), prunedAt: this.now, mac: null });
  }

  private async lastId(table: string): Promise<bigint> {
    const [row] = await this.manager.query<{ id: string }[]>(`SELECT coalesce(max(id), 0) AS id FROM ${table}`);
    return BigInt(row!.id);
  }
}

/** A table's rows from `fromId` on, in the order of their ids. Holds one page in memory at a time. */
async function* rowsById<Row extends { id: string | bigint }>(
  database: Pick<Database, 'run'>,
  table: new () => Row,
  fromId: bigint,
  narrow: (rows: SelectQueryBuilder<Row>) => void = () => {},
): AsyncGenerator<Row> {
  for (let from = fromId; ;) {
    const rows = await database.run((manager) => {
      const page = manager.createQueryBuilder(table, 'row').where('row.id >= :from', { from: String(from) });
      narrow(page);
      return page.orderBy('row.id').limit(PAGE).getMany();
    });
    yield* rows;
    if (rows.length < PAGE) return;
    from = BigInt(rows.at(-1)!.id) + 1n;
  }
}

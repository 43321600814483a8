import { Any } from 'typeorm';
import type pg from 'pg';
import type { Audit, EventFilter } from '../../../../application/ports.js';
import {
  type AuditEvent,
  AUTHENTICATION_FAILED,
  type FailedAuthentication,
  type Person,
  type RecordedEvent,
} from '../../../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../../../domain/errors.js';
import { actorKindOf, recordedNote, recordedPreviousName } from '../../../../domain/audit/history-event.js';
import { recordedLeak } from '../../../../domain/audit/leak-site.js';
import type { Page, PageRequest } from '../../../../application/lists.js';
import type { Instrument } from '../../../telemetry/instrument.js';
import { NO_TRACES } from '../../../telemetry/traces.js';
import { fromAuditEvent } from './mapping.js';
import { AccountRow } from '../accounts/rows.js';
import { AuditEventRow } from './rows.js';
import { decodeCursor, pageOf } from '../client/cursor.js';
import type { Database } from '../client/database.js';
import { FailureCommits } from './failure-commits.js';
import type { FailureGroup } from '../../../../domain/audit/group-failures.js';
import { PostgresOutage } from '../client/outage.js';
import type { Primary } from '../client/primary.js';
import { ReservedConnections, statement } from '../client/reserved-connections.js';
import { PREPARES_COMMIT, type Synchrony } from '../client/server-state.js';
import { committedSynchronously } from '../client/standby.js';
import { unavailable } from '../client/errors.js';

/** One commit runs at a time, while failures that arrive collect for the next one. */
const CONNECTIONS = 1;

const RECORD_FAILURES = `
  INSERT INTO audit_events (type, reason, owner_id, key_id, public_part, client_ip, user_agent, request_id, count)
  SELECT '${AUTHENTICATION_FAILED}', * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[],
    $7::text[], $8::integer[])
  WHERE (SELECT ${PREPARES_COMMIT})`;

/** Leaves out accounts that were purged under the same id: their earlier events, and all events of their keys. */
const OF_OWNER = `
  event.owner_id = :ownerId
  AND event.id > coalesce((SELECT former_event_id FROM accounts WHERE id = :ownerId), 0)
  AND NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = event.key_id AND api_keys.purged)`;

export class PostgresAudit implements Audit {
  private readonly connections: ReservedConnections;
  private readonly commits: FailureCommits;

  constructor(
    private readonly primary: Primary,
    private readonly database: Database,
    traces = NO_TRACES,
    private readonly outage = new PostgresOutage(),
  ) {
    this.connections = new ReservedConnections(primary, 'audit', CONNECTIONS);
    this.commits = new FailureCommits((groups) => this.insert(groups), primary.config.timeoutMs, traces);
  }

  instruments(): Instrument[] {
    return [...this.commits.instruments(), ...this.connections.instruments()];
  }

  recordFailure(failure: FailedAuthentication): Promise<void> {
    return this.commits.add(failure);
  }

  async record(event: AuditEvent, ownerId: string | null): Promise<void> {
    await this.database.transaction((manager) => manager.insert(AuditEventRow, fromAuditEvent(event, ownerId)));
  }

  async list(
    ownerId: string,
    { types, keyId }: EventFilter,
    { limit, cursor }: PageRequest,
  ): Promise<Page<RecordedEvent>> {
    const rows = await this.database.run((manager) => {
      const query = manager
        .createQueryBuilder(AuditEventRow, 'event')
        .where(OF_OWNER, { ownerId })
        .andWhere('event.type IN (:...types)', { types });
      if (keyId !== undefined) query.andWhere('event.key_id = :keyId', { keyId });
      if (cursor !== undefined) query.andWhere('event.id < :id', { id: decodeCursor(cursor, isEventPosition)[0] });
      return query
        .orderBy('event.id', 'DESC')
        .limit(limit + 1)
        .getMany();
    });
    const { items, nextCursor } = pageOf(rows, limit, ({ id }) => [id]);
    const actors = await this.actorsOf(items);
    return { items: items.map((row) => toEvent(row, actors)), nextCursor };
  }

  /** Throws when PostgreSQL can't be reached. */
  open(): Promise<void> {
    return this.connections.open();
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private actorsOf(rows: readonly AuditEventRow[]): Promise<AccountRow[]> {
    const accounts = rows.filter((row) => actorKindOf(row) === 'account');
    const ids = [...new Set(accounts.map(({ actorId }) => actorId!))];
    return this.database.run((manager) => manager.findBy(AccountRow, { id: Any(ids) }));
  }

  private async insert(groups: readonly FailureGroup[]): Promise<void> {
    const values = [
      groups.map(({ failure }) => failure.reason),
      groups.map(({ failure }) => failure.ownerId),
      groups.map(({ failure }) => failure.keyId),
      groups.map(({ failure }) => failure.publicPart),
      groups.map(({ failure }) => failure.client.ip),
      groups.map(({ failure }) => failure.client.userAgent),
      groups.map(({ failure }) => failure.client.requestId),
      groups.map(({ count }) => count),
    ];
    try {
      await this.connections.run((client) => this.insertFailures(client, values));
      this.outage.answered('audit');
    } catch (thrown) {
      const error = this.outage.failed('audit', thrown);
      // A failure that can't be recorded is not answered, so any error becomes `unavailable`.
      throw error instanceof LatchkeyError ? error : unavailable(error);
    }
  }

  private async insertFailures(client: pg.ClientBase, values: unknown[]): Promise<void> {
    const { config } = this.primary;
    const insert = () => client.query({ ...statement(config, 'record_failures_v1', RECORD_FAILURES), values });
    if (!config.requireSynchronous) return void (await insert());
    await committedSynchronously(
      async (text) => (await client.query<Synchrony>(statement(config, 'synchrony_v1', text))).rows,
      (checkBefore) => checkBefore().then(insert),
    );
  }
}

/** A person who was purged after the event is not the one who has their id now. */
function actorOf(event: AuditEventRow, actors: readonly AccountRow[]): Person | null {
  const account = actors.find(({ id }) => id === event.actorId);
  if (!account || actorKindOf(event) !== 'account') return null;
  const isStillThem = BigInt(event.id) > BigInt(account.formerEventId) && !account.purged;
  return { id: account.id, displayName: isStillThem ? account.displayName : '' };
}

function toEvent(row: AuditEventRow, actors: readonly AccountRow[]): RecordedEvent {
  return {
    id: row.id,
    type: row.type as RecordedEvent['type'],
    at: row.at,
    keyId: row.keyId,
    reason: row.reason,
    count: row.count,
    clientIp: row.clientIp,
    userAgent: row.userAgent,
    requestId: row.requestId,
    leak: recordedLeak(row),
    previousName: recordedPreviousName(row),
    note: recordedNote(row),
    actor: actorOf(row, actors),
  };
}

function isEventPosition(position: readonly string[]): position is [string] {
  return position.length === 1 && /^\d{1,18}$/.test(position[0]!);
}

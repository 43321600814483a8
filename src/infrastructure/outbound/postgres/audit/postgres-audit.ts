import { Any, type SelectQueryBuilder } from 'typeorm';
import type pg from 'pg';
import type { Audit, EventFilter, EventSearch } from '#application/audit-ports.js';
import {
  type AuditedEvent,
  type AuditEvent,
  AUTHENTICATION_FAILED,
  type FailedAuthentication,
  type Person,
  type RecordedEvent,
  recordedEvent,
} from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import { actorKindOf, recordedView } from '#domain/audit/event-details.js';
import { type Page, pageOf, type PageRequest, textIn, wrongCursor } from '#application/lists.js';
import type { Instrument } from '#infrastructure/telemetry/instrument.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { AuditEventRow, fromAuditEvent } from './audit-rows.js';
import { AccountRow } from '../accounts/account-rows.js';
import { ApiKeyRow } from '../keys/key-rows.js';
import type { Database } from '../client/database.js';
import { FailureCommits } from './failure-commits.js';
import type { FailureGroup } from '#domain/audit/failure-flood.js';
import { unavailable } from '../client/errors.js';
import type { Primary } from '../client/primary.js';
import { ReservedConnections, statement } from '../client/reserved-connections.js';
import { PREPARES_COMMIT, type Synchrony } from '../client/server-state.js';
import { committedSynchronously } from '../client/standby.js';

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

type EventQuery = SelectQueryBuilder<AuditEventRow>;

/**
 * The id of the earliest event at or after this time. Ids rise with time, so a span of ids holds the events of a span of
 * time. Clocks of instances may differ, so callers widen the span by a day at each end.
 */
const idOfFirstFrom = (time: string) => `(SELECT id FROM audit_events WHERE at >= ${time} ORDER BY at LIMIT 1)`;

/** Opens the index of changes, for what no index of an account or a key finds: see the migration Indexes. */
const OF_ANYBODY = 'event.id > 0';

/** Failures have no actor. */
const CONDITIONS = {
  actorId: `event.actor_id = :actorId AND event.type <> '${AUTHENTICATION_FAILED}'`,
  ownerId: 'event.owner_id = :ownerId',
  keyId: 'event.key_id = :keyId',
  types: 'event.type IN (:...types)',
  since: `event.at >= :since AND event.id >= ${idOfFirstFrom("CAST(:since AS timestamptz) - interval '1 day'")}`,
  until: `event.at < :until AND event.id < coalesce(${idOfFirstFrom("CAST(:until AS timestamptz) + interval '1 day'")}, ${2n ** 63n - 1n})`,
} satisfies Record<keyof EventSearch, string>;

export class PostgresAudit implements Audit {
  private readonly connections: ReservedConnections;
  private readonly commits: FailureCommits;

  constructor(
    private readonly primary: Primary,
    private readonly database: Database,
    traces = NO_TRACES,
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

  async list(ownerId: string, filter: EventFilter, page: PageRequest): Promise<Page<RecordedEvent>> {
    const { items, nextCursor } = await this.page(filter, page, (query) => query.andWhere(OF_OWNER, { ownerId }));
    const accounts = await this.accountsOf(items.map(accountActing));
    return { items: items.map((row) => toEvent(row, accounts)), nextCursor };
  }

  async search(search: EventSearch, page: PageRequest): Promise<Page<AuditedEvent>> {
    const isOfOne = (search.ownerId ?? search.keyId) !== undefined;
    const { items, nextCursor } = await this.page(search, page, (query) =>
      isOfOne ? query : query.andWhere(OF_ANYBODY),
    );
    const accounts = await this.accountsOf(items.flatMap((row) => [accountActing(row), row.ownerId]));
    const ids = different(items.map(({ keyId }) => keyId));
    const keys = await this.database.run((manager) => manager.findBy(ApiKeyRow, { id: Any(ids), purged: false }));
    return {
      items: items.map((row) => ({ ...toEvent(row, accounts), ...auditedPart(row, accounts, keys) })),
      nextCursor,
    };
  }

  open(): Promise<void> {
    return this.connections.open();
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private async page(search: EventSearch, { limit, cursor }: PageRequest, narrowed: (query: EventQuery) => EventQuery) {
    const rows = await this.database.run((manager) => {
      const query = narrowed(manager.createQueryBuilder(AuditEventRow, 'event'));
      for (const name of Object.keys(CONDITIONS) as (keyof EventSearch)[]) {
        if (search[name] !== undefined) query.andWhere(CONDITIONS[name], { [name]: search[name] });
      }
      if (cursor !== undefined) query.andWhere('event.id < :id', { id: eventIdIn(cursor) });
      return query
        .orderBy('event.id', 'DESC')
        .limit(limit + 1)
        .getMany();
    });
    return pageOf(rows, limit, ({ id }) => id);
  }

  private accountsOf(ids: readonly (string | null)[]): Promise<AccountRow[]> {
    return this.database.run((manager) => manager.findBy(AccountRow, { id: Any(different(ids)) }));
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
      this.primary.outage.answered('audit');
    } catch (thrown) {
      const error = this.primary.outage.failed('audit', thrown);
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

function accountActing(row: AuditEventRow): string | null {
  return actorKindOf(row) === 'account' ? row.actorId : null;
}

function different(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

/** A person who was purged after the event is not the one who has their id now. */
function personAt(event: AuditEventRow, id: string, account: AccountRow | undefined): Person {
  const isStillThem = account && BigInt(event.id) > BigInt(account.formerEventId) && !account.purged;
  return { id, displayName: isStillThem ? account.displayName : '' };
}

function auditedPart(row: AuditEventRow, accounts: readonly AccountRow[], keys: readonly ApiKeyRow[]) {
  const { actorId, ownerId, keyId } = row;
  const owner = accounts.find(({ id }) => id === ownerId);
  const account = ownerId === null ? null : personAt(row, ownerId, owner);
  const keyName = keys.find(({ id }) => id === keyId)?.name ?? null;
  return { actorId, account, keyName, viewed: recordedView(row) };
}

function toEvent(row: AuditEventRow, accounts: readonly AccountRow[]): RecordedEvent {
  const actor = accounts.find(({ id }) => id === accountActing(row));
  return { id: row.id, ...recordedEvent(row), actor: actor ? personAt(row, actor.id, actor) : null };
}

function eventIdIn(cursor: string): string {
  const id = textIn(cursor);
  if (id === undefined || !/^\d{1,18}$/.test(id)) throw wrongCursor();
  return id;
}

import type { Backlog, Claim, Outbox, UndeliveredMessage, UndeliveredNotices } from '#application/notice-ports.js';
import type { NoticeChannel, NoticeData } from '#domain/notices/key-notice.js';
import { EXTRA_TRIES, PLANNED_AT_MS, SOON_MS, TRIED_FOR_MS } from '#domain/notices/retry-schedule.js';
import { NOW, NOW_ONCE, type Database } from '../client/database.js';
import { OutboxRow } from './outbox-writer.js';

/** Longer than the longest attempt, by PostgreSQL's clock. */
const CLAIM_SECONDS = 60;

const AGE_MS = `(extract(epoch FROM ${NOW} - give_up_at) * 1000 + ${TRIED_FOR_MS})`;

/** Skips notices that another sender is claiming or has claimed. Releases its locks when the statement ends. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT id FROM outbox
    WHERE channel = $1 AND failed_at IS NULL AND next_try_at <= ${NOW_ONCE}
      AND (claimed_until IS NULL OR claimed_until <= ${NOW_ONCE})
    ORDER BY next_try_at, sequence LIMIT $2 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE outbox SET claimed_until = ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
    FROM due WHERE outbox.id = due.id
    RETURNING outbox.*
  )
  SELECT id, type, recipient, data, told_at AS timestamp, tries, claimed_until AS until, ${AGE_MS}::double precision AS "ageMs"
  FROM claimed ORDER BY next_try_at, sequence`;

/** Only while the claim is valid. After it ran out, another sender may have claimed the notice. */
const FAIL = `
  UPDATE outbox SET tries = tries + 1, last_error = $3, claimed_until = NULL,
    next_try_at = ${NOW} + make_interval(secs => coalesce($4::double precision, 0)),
    failed_at = CASE WHEN $4::double precision IS NULL THEN ${NOW} END
  WHERE id = $1 AND claimed_until = $2`;

/** Says in SQL what `isTriedSooner` says. */
const MAKE_DUE = `
  WITH waiting AS MATERIALIZED (
    SELECT id FROM outbox
    WHERE channel = $1 AND failed_at IS NULL
      AND next_try_at > ${NOW_ONCE} + make_interval(secs => ${SOON_MS / 1000})
      AND tries - width_bucket(${AGE_MS}, ARRAY[${PLANNED_AT_MS.join()}]::numeric[]) < ${EXTRA_TRIES}
    ORDER BY next_try_at, sequence LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE outbox SET next_try_at = ${NOW} FROM waiting WHERE outbox.id = waiting.id`;

const BACKLOG = `
  SELECT channel,
    count(*) FILTER (WHERE failed_at IS NULL)::integer AS waiting,
    count(*) FILTER (WHERE failed_at IS NOT NULL)::integer AS failed,
    coalesce(extract(epoch FROM ${NOW} - min(told_at) FILTER (WHERE failed_at IS NULL)), 0)::double precision
      AS "oldestSeconds"
  FROM outbox GROUP BY channel`;

/** Starts again with the first attempt. Skips locked rows, so it can't deadlock with a purge. */
const RETRY = `
  WITH meant AS (
    SELECT id FROM outbox
    WHERE CASE WHEN $1::uuid IS NULL THEN failed_at IS NOT NULL ELSE id = $1 END
    FOR UPDATE SKIP LOCKED
  )
  UPDATE outbox SET tries = 0, next_try_at = ${NOW}, give_up_at = ${NOW} + make_interval(secs => $2), failed_at = NULL
  FROM meant WHERE outbox.id = meant.id`;

export class PostgresOutbox implements Outbox, UndeliveredNotices {
  constructor(private readonly database: Database) {}

  async claim(channel: NoticeChannel, limit: number): Promise<Claim[]> {
    const rows = await this.database.maintain((manager) => manager.query<ClaimedRow[]>(CLAIM, [channel, limit]));
    return rows.map(toClaim);
  }

  async delivered({ message: { id } }: Claim): Promise<void> {
    await this.database.maintain((manager) => manager.delete(OutboxRow, { id }));
  }

  async failed({ message: { id }, until }: Claim, why: string, pauseMs: number | undefined): Promise<void> {
    const seconds = pauseMs === undefined ? null : pauseMs / 1000;
    await this.database.maintain((manager) => manager.query(FAIL, [id, until, why, seconds]));
  }

  async makeDue(channel: NoticeChannel, limit: number): Promise<number> {
    const values = [channel, limit];
    const [, count] = await this.database.maintain((manager) => manager.query<[unknown[], number]>(MAKE_DUE, values));
    return count;
  }

  async release({ message: { id }, until: claimedUntil }: Claim): Promise<void> {
    await this.database.maintain((manager) => manager.update(OutboxRow, { id, claimedUntil }, { claimedUntil: null }));
  }

  async backlog(): Promise<Record<NoticeChannel, Backlog>> {
    const rows = await this.database.run((manager) => manager.query<(Backlog & { channel: NoticeChannel })[]>(BACKLOG));
    const none: Backlog = { waiting: 0, failed: 0, oldestSeconds: 0 };
    const found = rows.map(({ channel, ...backlog }) => [channel, backlog]);
    return { webhook: none, mail: none, ...Object.fromEntries(found) };
  }

  list(isFailed: boolean, limit: number): Promise<UndeliveredMessage[]> {
    return this.database.run(async (manager) => {
      const query = manager.createQueryBuilder(OutboxRow, 'message');
      query.where(`message.failed_at IS ${isFailed ? 'NOT NULL' : 'NULL'}`);
      query.orderBy('message.told_at').addOrderBy('message.sequence').addOrderBy('message.id').limit(limit);
      return (await query.getMany()).map(toUndelivered);
    });
  }

  async retry(id: string | undefined): Promise<number> {
    const values = [id ?? null, TRIED_FOR_MS / 1000];
    const [, count] = await this.database.maintain((manager) => manager.query<[unknown[], number]>(RETRY, values));
    return count;
  }
}

interface ClaimedRow extends Omit<Claim, 'message'>, Pick<OutboxRow, 'id' | 'type' | 'recipient' | 'data'> {
  readonly timestamp: Date;
}

function toClaim({ id, type, recipient, data, timestamp, ...claim }: ClaimedRow): Claim {
  return { message: { id, type, timestamp, recipient, data: JSON.parse(data) as NoticeData }, ...claim };
}

function toUndelivered({ toldAt: timestamp, data, nextTryAt, failedAt, ...row }: OutboxRow): UndeliveredMessage {
  const { id, channel, type, recipient, tries, lastError } = row;
  const message = { id, channel, type, timestamp, recipient, data: JSON.parse(data) as NoticeData };
  return { ...message, tries, nextTryAt: failedAt ? null : nextTryAt, failedAt, lastError };
}

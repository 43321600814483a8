import { NOW } from '../client/database.js';

/** Longer than the longest attempt, by PostgreSQL's clock. */
const CLAIM_SECONDS = 60;

/** Skips notices that another sender is claiming or has claimed. Releases its locks when the statement ends. */
export const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT id FROM outbox
    WHERE channel = $1 AND failed_at IS NULL AND next_try_at <= ${NOW}
      AND (claimed_until IS NULL OR claimed_until <= ${NOW})
    ORDER BY next_try_at, sequence LIMIT $2 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE outbox SET claimed_until = ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
    FROM due WHERE outbox.id = due.id
    RETURNING outbox.*
  )
  SELECT id, type, data, told_at, tries, claimed_until, give_up_at <= ${NOW} AS is_last_try
  FROM claimed ORDER BY next_try_at, sequence`;

/** Only while the claim is valid. After it ran out, another sender may have claimed the notice. */
export const FAIL = `
  UPDATE outbox SET tries = tries + 1, last_error = $3, claimed_until = NULL,
    next_try_at = ${NOW} + make_interval(secs => coalesce($4::double precision, 0)),
    failed_at = CASE WHEN $4::double precision IS NULL THEN ${NOW} END
  WHERE id = $1 AND claimed_until = $2`;

export const BACKLOG = `
  SELECT channel,
    count(*) FILTER (WHERE failed_at IS NULL)::integer AS waiting,
    count(*) FILTER (WHERE failed_at IS NOT NULL)::integer AS failed,
    coalesce(extract(epoch FROM ${NOW} - min(told_at) FILTER (WHERE failed_at IS NULL)), 0)::double precision
      AS "oldestSeconds"
  FROM outbox GROUP BY channel`;

/** Starts again with the first attempt. Skips locked rows, so it can't deadlock with a purge. */
export const RETRY = `
  WITH meant AS (
    SELECT id FROM outbox
    WHERE CASE WHEN $1::uuid IS NULL THEN failed_at IS NOT NULL ELSE id = $1 END
    FOR UPDATE SKIP LOCKED
  )
  UPDATE outbox SET tries = 0, next_try_at = ${NOW}, give_up_at = ${NOW} + make_interval(secs => $2), failed_at = NULL
  FROM meant WHERE outbox.id = meant.id`;

/** Deletes notices that were given up long ago, and old ones of a channel that has no receiver any more. */
export const FORGET_MESSAGES = `
  WITH over AS (
    SELECT id FROM outbox
    WHERE give_up_at < $1::timestamptz - make_interval(secs => $2)
      AND coalesce(failed_at, give_up_at) < $1::timestamptz - make_interval(secs => $2)
    LIMIT $3 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM outbox USING over WHERE outbox.id = over.id RETURNING 1
  )
  SELECT count(*)::integer AS count FROM gone`;

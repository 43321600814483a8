import type { EntityManager } from 'typeorm';
import type { ListedKey } from '#application/lists.js';
import { recordedLeak } from '#domain/audit/event-details.js';
import { type AccessLevel, lowerAccess } from '#domain/accounts/access-level.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { shownIdleEnd } from '#domain/notices/idle-keys.js';
import { type DayCount, firstRecentDay, recentUse } from '#domain/usage/key-history.js';
import { utcDay, type UtcDay } from '#domain/time.js';
import { couldNarrow } from '#domain/usage/narrower.js';
import { openKey } from './key-status-sql.js';

/** In SQL: a key, and those that it replaced. @param key selects the first one with these three columns */
export const chainFrom = (key: string) => `
  WITH RECURSIVE chain (id, replaces, permissions_since) AS (
    ${key}
    UNION SELECT old.id, old.replaces, old.permissions_since FROM api_keys old JOIN chain ON old.id = chain.replaces
  )`;

/** A manager who was purged after making the key is not the person who has their id now. */
const IS_STILL_THE_MAKER = `
  (maker.former_event_id = 0 OR stored.created_by IS NULL OR EXISTS (
    SELECT FROM audit_events made
    WHERE made.key_id = stored.id AND made.type = 'api_key.created' AND made.id > maker.former_event_id))`;

/** A manager whose account is suspended, deleted or purged knows the key, and no longer works with it. */
const STILL_MANAGES = `
  (${IS_STILL_THE_MAKER} AND stored.created_by = ANY(owner.managers) AND maker.status IS NOT DISTINCT FROM 'active')`;

/** One statement for a page of keys. It finds the rows of each key by an index, however many other rows there are. */
const FACTS = `
  SELECT owner.limits ->> 'maxAccess' AS "maxAccess", coalesce(stored.created_by, stored.owner_id) AS "makerId",
    coalesce(CASE WHEN ${IS_STILL_THE_MAKER} THEN maker.display_name END, '') AS "makerName",
    coalesce(stored.created_by !~ '^(service|admin):', false)
      AND NOT ${STILL_MANAGES} AS "hasLeft",
    used.last_used_at AS "lastUsedAt",
    idle.written_at AS "noticeAt", stored.handled, recent.counts, owner.permissions AS owned, recorded.*, revoked.reason,
    revoked.details, revoked.id IS NOT NULL AS "isRevoked"
  FROM unnest($1::uuid[]) WITH ORDINALITY AS key (id, position)
  LEFT JOIN api_keys stored ON stored.id = key.id
  LEFT JOIN accounts owner ON owner.id = stored.owner_id
  LEFT JOIN accounts maker ON maker.id = coalesce(stored.created_by, stored.owner_id)
  LEFT JOIN api_key_usage used ON used.key_id = key.id
  LEFT JOIN api_keys successor ON successor.id = stored.replaced_by AND ${openKey('successor')}
  LEFT JOIN idle_notices idle ON idle.key_id = coalesce(successor.id, stored.id)
  LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object('day', day - date '1970-01-01', 'granted', granted, 'refused', refused)) AS counts
    FROM api_key_days WHERE key_id = key.id AND day >= date '1970-01-01' + $2::integer
  ) recent ON true
  LEFT JOIN LATERAL (
    SELECT id, reason, details FROM audit_events
    WHERE key_id = key.id AND type = 'api_key.revoked' ORDER BY id LIMIT 1
  ) revoked ON true
  LEFT JOIN LATERAL (
    ${chainFrom(`SELECT stored.id, stored.replaces, stored.permissions_since WHERE ${openKey('stored')}`)}
    SELECT (min(permissions_since) AT TIME ZONE 'UTC')::date - date '1970-01-01' AS since,
      (SELECT array_agg(DISTINCT used) FROM api_key_permissions JOIN chain ON key_id = id) AS used FROM chain
  ) recorded ON true
  ORDER BY key.position`;

interface FactsRow {
  readonly maxAccess: AccessLevel | null;
  readonly makerId: string;
  readonly makerName: string;
  /** Null, as for a purged owner, is no. */
  readonly hasLeft: boolean | null;
  readonly lastUsedAt: Date | null;
  /** When the owner was notified that nobody uses the key. A rotating pair has one such notice, of the newer key. */
  readonly noticeAt: Date | null;
  /** Null when there are no days. */
  readonly counts: DayCount[] | null;
  readonly owned: readonly string[] | null;
  /** The first day of the record of permissions, for an active key. */
  readonly since: UtcDay | null;
  readonly used: readonly string[] | null;
  readonly handled: string[] | null;
  readonly isRevoked: boolean;
  readonly reason: string | null;
  readonly details: string | null;
}

/** What lists show, besides the keys. */
export interface Listing {
  readonly now: Date;
  /** Whether this service ends keys that nobody uses. */
  readonly endsIdleKeys: boolean;
}

/** The keys in the same order, each with what lists show of it. */
export async function listedKeys(
  manager: EntityManager,
  keys: readonly ApiKey[],
  { now, endsIdleKeys }: Listing,
): Promise<ListedKey[]> {
  if (keys.length === 0) return [];
  const today = utcDay(now);
  const rows = await manager.query<FactsRow[]>(FACTS, [keys.map(({ id }) => id), firstRecentDay(today)]);
  return keys.map((key, index) => {
    const { maxAccess, makerId, makerName, hasLeft, lastUsedAt, ...row } = rows[index]!;
    const { noticeAt, handled, counts, owned, since, used, isRevoked, reason, details } = row;
    const revocation = isRevoked ? { reason, leak: recordedLeak({ reason, details }) } : null;
    const access = lowerAccess(key.snapshot().access, maxAccess ?? undefined);
    const createdBy = { id: makerId, displayName: makerName, isFormerManager: hasLeft === true };
    const idleEndsAt = endsIdleKeys ? shownIdleEnd({ key, lastUsedAt, noticeAt }, now) : null;
    const { permissions } = key.snapshot();
    const record = { used: used ?? [], days: today - (since ?? today) };
    return {
      key,
      now,
      access,
      createdBy,
      lastUsedAt,
      idleEndsAt,
      recent: recentUse(counts ?? [], today),
      couldNarrow: couldNarrow({ access, permissions }, owned ?? [], record),
      handled: handled ?? [],
      revocation,
    };
  });
}

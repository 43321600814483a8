import type { KeyReading } from '#application/ports.js';
import type { DatabaseConfig } from '#config/database-config.js';
import { NO_ENTITLEMENTS } from '#domain/accounts/account-change.js';
import type { Attribute } from '#domain/accounts/account-attributes.js';
import type { AccountLimits } from '#domain/accounts/account-limits.js';
import type { AccessLevel } from '#domain/accounts/access-level.js';
import { KeyStanding } from '#domain/keys/key-standing.js';
import { statusOf, type StoredStatus } from '../accounts/rows.js';
import { NOW } from '../client/database.js';
import { LONGEST_LEASE_SQL } from './instances.js';
import { IS_SYNCHRONOUS, PREPARES_COMMIT, READABLE, setting, TIMELINE } from '../client/server-state.js';

/**
 * The message makes the transaction write WAL, so its commit is acknowledged only after the standby has received it.
 * That proves that no other server was the primary when the rows were read. A transaction id, NOTIFY or a
 * non-transactional message would not wait. As an uncorrelated subquery, it is evaluated once for all rows.
 */
const BARRIER = `
  (SELECT CASE WHEN ${PREPARES_COMMIT} AND ${IS_SYNCHRONOUS}
    THEN pg_logical_emit_message(true, 'latchkey', '') IS NOT NULL ELSE false END) AS is_synchronous`;

/**
 * In the same snapshot as the keys: for how long changes wait, and, while the successor of a key was not used yet, how long
 * the key works after that.
 */
const FOR_LEASES = [
  `${LONGEST_LEASE_SQL} AS lease_ms`,
  `CASE WHEN k.replaced_by IS NOT NULL THEN (
    SELECT grace_seconds FROM api_keys s WHERE s.id = k.replaced_by AND s.first_used_at IS NULL
  ) END AS grace_seconds`,
];

/** Evaluated before the first row is written. */
const EXACT_NUMBERS = `(SELECT ${setting({ extra_float_digits: READABLE.extra_float_digits }, 'transaction')}) AS digits`;

/**
 * Returns one row for every public part in `$1`, known or not, so that the answer always contains the state of the
 * server. Times come as seconds, and permissions and networks (which contain no spaces) as one text, because pg's own
 * conversion costs more than the read. Columns that few keys use are null otherwise, which costs almost nothing. The
 * subquery hides the number of parts, because PostgreSQL would plan small reads again each time, at seven times the cost
 * of the read. It expects a tenth of what a limit that it does not know leaves, which is one part, so it finds keys by
 * their index: it would read all of a small table for ten parts.
 */
export function readKeys(
  { readBarrier, pooling }: Pick<DatabaseConfig, 'readBarrier' | 'pooling'>,
  givesLeases = false,
): string {
  const more = [
    ...(givesLeases ? FOR_LEASES : []),
    ...(readBarrier ? [BARRIER] : []),
    // In a pool, each statement may go to another server, and to a session with other settings.
    ...(pooling === 'transaction' ? [`(SELECT ${TIMELINE}) AS timeline`, EXACT_NUMBERS] : []),
  ];
  return `
    SELECT asked.public_part, k.id, k.owner_id, k.access, k.digest,
      date_part('epoch', k.created_at) AS created_at, date_part('epoch', k.expires_at) AS expires_at,
      date_part('epoch', k.revoked_at) AS revoked_at, date_part('epoch', k.expired_at) AS expired_at,
      date_part('epoch', k.ends_at) AS ends_at,
      date_part('epoch', greatest(k.paused_until, k.admin_paused_until)) AS paused_until,
      k.found_idle OR k.first_used_at IS NULL AND nullif(k.replaces IS NOT NULL, false) AS awaits_use,
      array_to_string(k.permissions, ' ') AS key_permissions, array_to_string(k.allowed_networks, ' ') AS allowed_networks,
      a.status, array_to_string(a.permissions, ' ') AS permissions, a.limits::text, a.attributes::text,
      date_part('epoch', ${NOW}) AS now, pg_is_in_recovery() AS standby${more.map((column) => `, ${column}`).join('')}
    FROM (SELECT unnest(string_to_array((SELECT $1::text), ',')) AS public_part LIMIT (SELECT 10000)) AS asked
    LEFT JOIN api_keys k ON k.public_part = asked.public_part::char(24)
    LEFT JOIN accounts a ON a.id = k.owner_id`;
}

export interface KeyReadingRow {
  public_part: string;
  id: string | null;
  owner_id: string;
  access: AccessLevel;
  digest: Buffer;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  expired_at: number | null;
  ends_at: number | null;
  /** The later end of both pauses; null of a key that was never paused. */
  paused_until: number | null;
  awaits_use: boolean | null;
  key_permissions: string | null;
  allowed_networks: string | null;
  status: StoredStatus;
  permissions: string;
  limits: string | null;
  attributes: string | null;
  now: number;
  standby: boolean;
  /** Present with a read barrier. */
  is_synchronous?: boolean;
  /** Present with transaction pooling; null on a standby. */
  timeline?: number | null;
  /** Present where this process gives leases; null where no process is known. */
  lease_ms?: number | null;
  grace_seconds?: number | null;
}

/** Converts a row, once for all calls with its public part. */
export function toReading(sentAt: number, row: KeyReadingRow): KeyReading {
  const now = toDate(row.now);
  if (row.id === null) return { now, sentAt };
  const found = KeyStanding.restore({
    id: row.id,
    ownerId: row.owner_id,
    access: row.access,
    digest: row.digest,
    createdAt: toDate(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: row.revoked_at === null ? null : toDate(row.revoked_at),
    expiredAt: row.expired_at === null ? null : toDate(row.expired_at),
    endsAt: row.ends_at === null ? null : toDate(row.ends_at),
    pausedUntil: row.paused_until === null ? null : toDate(row.paused_until),
    adminPausedUntil: null,
    awaitsUse: row.awaits_use === true,
    permissions: row.key_permissions === null ? null : wordsOf(row.key_permissions),
    allowedNetworks: row.allowed_networks === null ? null : wordsOf(row.allowed_networks),
    owner: {
      status: statusOf(row.status),
      permissions: wordsOf(row.permissions),
      limits: row.limits === null ? NO_ENTITLEMENTS.limits : limitsOf(row.limits),
      attributes: row.attributes === null ? NO_ENTITLEMENTS.attributes : attributesOf(row.attributes),
    },
  });
  const { lease_ms: longestLeaseMs, grace_seconds: graceSeconds = null } = row;
  if (longestLeaseMs === undefined) return { now, sentAt, found };
  return { now, sentAt, found, forLease: { longestLeaseMs, graceSeconds } };
}

/** In characters. */
const MAX_KNOWN = 4_000_000;

/**
 * The same text gives the same value, so that the domain need not compute again what follows from it. It is frozen,
 * because many validations share it.
 */
function oncePerText<T extends object>(parse: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  let knownLength = 0;
  return (text) => {
    const found = known.get(text);
    if (found) return found;
    const length = text.length + 100;
    if (knownLength + length > MAX_KNOWN) {
      known.clear();
      knownLength = 0;
    }
    knownLength += length;
    const value = Object.freeze(parse(text));
    known.set(text, value);
    return value;
  };
}

const wordsOf = oncePerText<readonly string[]>((text) => (text === '' ? [] : text.split(' ')));
const limitsOf = oncePerText((text) => JSON.parse(text) as AccountLimits);
const attributesOf = oncePerText((text) => JSON.parse(text) as readonly Attribute[]);

/** @param seconds a time with millisecond precision, plus or minus the rounding error of binary fractions */
function toDate(seconds: number): Date {
  return new Date(Math.round(seconds * 1000));
}

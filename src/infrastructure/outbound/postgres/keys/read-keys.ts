import type { KeyReading } from '#application/validation-ports.js';
import type { DatabaseConfig } from '#config/database-config.js';
import { NO_ENTITLEMENTS, type Attribute, type AccountLimits } from '#domain/accounts/entitlements.js';
import type { AccessLevel } from '#domain/accounts/access-level.js';
import { KeyStanding } from '#domain/keys/key-standing.js';
import { statusOf, type StoredStatus } from '../accounts/account-rows.js';
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
    THEN pg_logical_emit_message(true, 'latchkey', '') IS NOT NULL ELSE false END)`;

/** While the successor of a key was not used yet: how long the key works after that. */
const GRACE_SECONDS = `
  CASE WHEN k.replaced_by IS NOT NULL THEN (
    SELECT grace_seconds FROM api_keys s WHERE s.id = k.replaced_by AND s.first_used_at IS NULL
  ) END`;

/** Evaluated before the first row is written. */
const EXACT_NUMBERS = `(SELECT ${setting({ extra_float_digits: READABLE.extra_float_digits }, 'transaction')})`;

type Reads = Pick<DatabaseConfig, 'readBarrier' | 'pooling'>;

/** What each column reads. For an unknown key, all columns from `id` on are null. */
function columnsOf({ readBarrier, pooling }: Reads, givesLeases: boolean) {
  // In a pool, each statement may go to another server, and to a session with other settings.
  const isPooled = pooling === 'transaction';
  return {
    publicPart: 'asked.public_part',
    now: `date_part('epoch', ${NOW})`,
    standby: 'pg_is_in_recovery()',
    timeline: isPooled ? `(SELECT ${TIMELINE})` : 'NULL',
    digits: isPooled ? EXACT_NUMBERS : 'NULL',
    isSynchronous: readBarrier ? BARRIER : 'NULL',
    id: 'k.id',
    ownerId: 'k.owner_id',
    access: 'k.access',
    // A session of a pool may have another bytea_output.
    digest: `encode(k.digest, 'hex')`,
    createdAt: `date_part('epoch', k.created_at)`,
    expiresAt: `date_part('epoch', k.expires_at)`,
    revokedAt: `date_part('epoch', k.revoked_at)`,
    expiredAt: `date_part('epoch', k.expired_at)`,
    endsAt: `date_part('epoch', k.ends_at)`,
    pausedUntil: `date_part('epoch', greatest(k.paused_until, k.admin_paused_until))`,
    awaitsUse: 'k.found_idle OR k.first_used_at IS NULL AND nullif(k.replaces IS NOT NULL, false)',
    keyPermissions: `array_to_string(k.permissions, ' ')`,
    allowedNetworks: `array_to_string(k.allowed_networks, ' ')`,
    status: 'a.status',
    permissions: `array_to_string(a.permissions, ' ')`,
    limits: 'a.limits',
    attributes: 'a.attributes',
    longestLeaseMs: givesLeases ? LONGEST_LEASE_SQL : 'NULL',
    graceSeconds: givesLeases ? GRACE_SECONDS : 'NULL',
  };
}

/** As PostgreSQL writes it. */
export type KeyRow = Readonly<Record<keyof ReturnType<typeof columnsOf>, string | null>>;

/**
 * Returns one row for every public part in `$1`, known or not, so that the answer always contains the state of the
 * server. Times come as seconds, and permissions and networks (which contain no spaces) as one text, because conversions
 * cost more than the read. Columns that few keys use are null otherwise, which costs almost nothing. The subquery hides the
 * number of parts, because PostgreSQL would plan small reads again each time, at seven times the cost of the read. It
 * expects a tenth of what a limit that it does not know leaves, which is one part, so it finds keys by their index: it
 * would read all of a small table for ten parts.
 */
export function readKeys(reads: Reads, givesLeases = false): { text: string; columns: readonly string[] } {
  const columns = columnsOf(reads, givesLeases);
  const text = `
    SELECT ${Object.entries(columns)
      .map(([name, value]) => `${value} AS "${name}"`)
      .join(', ')}
    FROM (SELECT unnest(string_to_array((SELECT $1::text), ',')) AS public_part LIMIT (SELECT 10000)) AS asked
    LEFT JOIN api_keys k ON k.public_part = asked.public_part::char(24)
    LEFT JOIN accounts a ON a.id = k.owner_id`;
  return { text, columns: Object.keys(columns) };
}

/** What a row says about the server that wrote it. */
export function serverOf({ now, standby, timeline, isSynchronous }: KeyRow) {
  return {
    nowMs: Number(now) * 1000,
    standby: standby === 't',
    timeline: timeline === null ? undefined : Number(timeline),
    isSynchronous: isSynchronous === 't',
  };
}

/** Converts a row, once for all calls with its public part. */
export function toReading(sentAt: number, row: KeyRow, givesLeases: boolean): KeyReading {
  const now = toDate(row.now!);
  if (row.id === null) return { now, sentAt };
  const found = new KeyStanding({
    id: row.id,
    ownerId: row.ownerId!,
    access: row.access as AccessLevel,
    digest: Buffer.from(row.digest!, 'hex'),
    createdAt: toDate(row.createdAt!),
    expiresAt: toDate(row.expiresAt!),
    revokedAt: row.revokedAt === null ? null : toDate(row.revokedAt),
    expiredAt: row.expiredAt === null ? null : toDate(row.expiredAt),
    endsAt: row.endsAt === null ? null : toDate(row.endsAt),
    pausedUntil: row.pausedUntil === null ? null : toDate(row.pausedUntil),
    adminPausedUntil: null,
    awaitsUse: row.awaitsUse === 't',
    permissions: row.keyPermissions === null ? null : wordsOf(row.keyPermissions),
    allowedNetworks: row.allowedNetworks === null ? null : wordsOf(row.allowedNetworks),
    owner: {
      status: statusOf(row.status as StoredStatus),
      permissions: wordsOf(row.permissions!),
      limits: row.limits === null ? NO_ENTITLEMENTS.limits : limitsOf(row.limits),
      attributes: row.attributes === null ? NO_ENTITLEMENTS.attributes : attributesOf(row.attributes),
    },
  });
  if (!givesLeases) return { now, sentAt, found };
  const longestLeaseMs = row.longestLeaseMs === null ? null : Number(row.longestLeaseMs);
  const graceSeconds = row.graceSeconds === null ? null : Number(row.graceSeconds);
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
function toDate(seconds: string): Date {
  return new Date(Math.round(Number(seconds) * 1000));
}

import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { type KeyFilter, type KeyPosition, type KeySort, NEVER } from '#application/lists.js';
import { MAX_SHOWN_LENGTH } from '#domain/keys/imported-key.js';
import { firstRecentDay } from '#domain/usage/key-history.js';
import { utcDay } from '#domain/time.js';
import { RECORDED_DAYS } from '#domain/usage/narrower.js';
import { activeAt, hasStatus, openKey, STATUS_BY_INDEX } from './key-status-sql.js';
import { ApiKeyRow } from './key-rows.js';

type KeyQuery = SelectQueryBuilder<ApiKeyRow>;

interface Span {
  readonly after: KeyPosition | undefined;
  readonly limit: number;
  readonly now: Date;
}

/**
 * The same conditions are tried in several ways, each of which an index can answer in the order of the list, so that
 * PostgreSQL reads little more than the page. Together they have every key of the page; then the page is cut from them.
 * The keys of one owner have an index of their own.
 */
export function keyPage(manager: EntityManager, filter: KeyFilter, { after, limit, now }: Span): KeyQuery {
  const order = ORDERS[filter.sort ?? 'created'];
  const query = ordered(withOwners(manager), order, limit);
  const conditions = ['NOT key.purged', ...conditionsOf(filter), ...(after ? [behind(order)] : [])];
  if (filter.ownerId === undefined) {
    const pages = waysOf(filter).map((way) => {
      const page = ordered(manager.createQueryBuilder(ApiKeyRow, 'key').select('key.id'), order, limit);
      return `(${page.where([...way, ...conditions].join(' AND ')).getQuery()})`;
    });
    query.where(`key.id IN (${pages.join(' UNION ALL ')})`);
  } else {
    const { status, createdBy } = filter;
    const made = createdBy === undefined ? [] : [`(${MAKER.join(' OR ')})`];
    query.where([...(status ? [hasStatus(status)] : []), ...made, ...conditions].join(' AND '));
  }
  const firstDay = firstRecentDay(utcDay(now));
  return query.setParameters({ ...parametersOf(filter), after: valueOf(after), afterId: after?.id, now, firstDay });
}

const ANY = ['true'];
/** Each has an index with the expiry, so that keys with another one are skipped without being read. */
const BY_END = [openKey('key'), 'key.expired_at IS NOT NULL', 'key.revoked_at IS NOT NULL'];
const MAKER = ['key.created_by = :createdBy', '(key.created_by IS NULL AND key.owner_id = :createdBy)'];

function waysOf({ status, createdBy, expiresFrom, expiresBefore }: KeyFilter): string[][] {
  const any = (expiresFrom ?? expiresBefore) === undefined ? ANY : BY_END;
  const statuses = status === undefined ? any : STATUS_BY_INDEX[status];
  const makers = createdBy === undefined ? ANY : MAKER;
  return statuses.flatMap((each) => makers.map((maker) => [each, maker]));
}

/** A key that was used before some time was also made before it. */
const LAST_USED_BEFORE = `
  key.created_at < :lastUsedBefore AND NOT EXISTS (
    SELECT FROM api_key_usage used WHERE used.key_id = key.id AND used.last_used_at >= :lastUsedBefore)`;

/** Each holds for active keys alone. A successor has the record of the key that it replaced, too. */
const ONLY = {
  paused: `${activeAt('key', ':now')} AND greatest(key.paused_until, key.admin_paused_until) > :now
    AND (key.paused_until IS NOT NULL OR key.admin_paused_until IS NOT NULL)`,
  recorded: `${activeAt('key', ':now')}
    AND (key.replaces IS NOT NULL OR
      (key.permissions_since AT TIME ZONE 'UTC')::date <= (:now AT TIME ZONE 'UTC')::date - ${RECORDED_DAYS}
      AND EXISTS (SELECT FROM api_key_permissions used WHERE used.key_id = key.id))`,
} as const;

const MADE_HERE = 'key.display_prefix IS NULL';
/** The range begins with the text, and its beginnings may be all that is shown of a key. */
const DISPLAYED = `
  (key.display_prefix BETWEEN :displayed AND :lastDisplayed OR key.display_prefix IN (:...beginnings))`;

function conditionsOf(filter: KeyFilter): string[] {
  const { ownerId, only, lastUsedBefore, expiresFrom, expiresBefore, prefix, displayed } = filter;
  return [
    ...(ownerId === undefined ? [] : ['key.owner_id = :ownerId']),
    ...(only === undefined ? [] : [ONLY[only]]),
    ...(lastUsedBefore === undefined ? [] : [LAST_USED_BEFORE]),
    ...(expiresFrom === undefined ? [] : ['key.expires_at >= :expiresFrom']),
    ...(expiresBefore === undefined ? [] : ['key.expires_at < :expiresBefore']),
    ...(displayed === undefined ? [] : [DISPLAYED]),
    ...(prefix === undefined ? [] : [MADE_HERE, 'key.public_part BETWEEN :firstPart AND :lastPart']),
    ...(prefix?.marker === undefined ? [] : ['key.key_prefix = :marker']),
  ];
}

function parametersOf({ prefix, displayed = '', status: _status, only: _only, ...filter }: KeyFilter) {
  const { marker, publicPart = '' } = prefix ?? {};
  const imported = {
    displayed,
    lastDisplayed: displayed.padEnd(MAX_SHOWN_LENGTH, '~'),
    beginnings: [...displayed].map((_, index) => displayed.slice(0, index)),
  };
  return {
    ...filter,
    ...imported,
    marker,
    firstPart: publicPart.padEnd(24, '0'),
    lastPart: publicPart.padEnd(24, 'f'),
  };
}

interface Order {
  readonly by: string;
  readonly type: string;
  readonly isDescending: boolean;
}

/** As `sortedBy` of the application. `created`, `expires` and `name` have an index over the keys of all owners. */
const ORDERS: Readonly<Record<KeySort, Order>> = {
  created: { by: 'key.created_at', type: 'timestamptz', isDescending: true },
  requests: {
    by: `coalesce((
      SELECT sum(granted::numeric + refused) FROM api_key_days
      WHERE key_id = key.id AND day >= date '1970-01-01' + :firstDay::integer), 0)`,
    type: 'numeric',
    isDescending: true,
  },
  lastUsed: {
    by: `coalesce(last_use.last_used_at, '${NEVER}')`,
    type: 'timestamptz',
    isDescending: true,
  },
  expires: { by: 'key.expires_at', type: 'timestamptz', isDescending: false },
  name: { by: 'lower(key.name COLLATE "C")', type: 'text COLLATE "C"', isDescending: false },
};

function behind({ by, type, isDescending }: Order): string {
  return `(${by}, key.id) ${isDescending ? '<' : '>'} (:after::${type}, :afterId::uuid)`;
}

/** pg writes each time so that PostgreSQL reads it, also one before our era. */
function valueOf(after: KeyPosition | undefined): string | Date | undefined {
  const isTime = after !== undefined && ORDERS[after.sort].type === 'timestamptz' && after.value !== NEVER;
  return isTime ? new Date(after.value) : after?.value;
}

function ordered(query: KeyQuery, { by, isDescending }: Order, limit: number): KeyQuery {
  const direction = isDescending ? 'DESC' : 'ASC';
  return query
    .leftJoin('api_key_usage', 'last_use', 'last_use.key_id = key.id')
    .orderBy(by, direction)
    .addOrderBy('key.id', direction)
    .limit(limit);
}

export function withOwners(manager: EntityManager): KeyQuery {
  return manager.createQueryBuilder(ApiKeyRow, 'key').innerJoinAndSelect('key.owner', 'owner');
}

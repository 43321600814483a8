import type { EntityManager } from 'typeorm';
import { OTHER_PERMISSIONS, type PermissionUse, PERMISSIONS_KEPT } from '#domain/usage/permission-use.js';
import type { UtcDay } from '#domain/time.js';
import { chainFrom } from '../keys/listed-keys.js';
import type { NotedUse } from './noted-key.js';

const EPOCH = `date '1970-01-01'`;

/** Adds to what is stored. Of a key that has as many permissions as are kept, new ones are counted in one. */
const KEEP = `
  WITH noted AS (
    SELECT * FROM json_to_recordset($1) AS noted ("keyId" uuid, used text, "firstDay" integer, "lastDay" integer, count bigint)
  ), kept AS (
    SELECT key_id, count(*) AS number FROM api_key_permissions
    WHERE key_id IN (SELECT "keyId" FROM noted) AND used <> '${OTHER_PERMISSIONS}' GROUP BY key_id
  ), placed AS (
    SELECT noted.*, known.key_id IS NOT NULL AS is_known, coalesce(number, 0)
      + row_number() OVER (PARTITION BY noted."keyId", known.key_id IS NULL ORDER BY noted.used) AS place
    FROM noted LEFT JOIN kept ON kept.key_id = noted."keyId"
    LEFT JOIN api_key_permissions known ON known.key_id = noted."keyId" AND known.used = noted.used
  )
  INSERT INTO api_key_permissions AS known (key_id, used, first_on, last_on, count)
  SELECT "keyId", CASE WHEN is_known OR place <= ${PERMISSIONS_KEPT} THEN used ELSE '${OTHER_PERMISSIONS}' END AS name,
    ${EPOCH} + min("firstDay"), ${EPOCH} + max("lastDay"), sum(count)
  FROM placed GROUP BY "keyId", name ORDER BY "keyId", name
  ON CONFLICT (key_id, used) DO UPDATE SET first_on = least(known.first_on, excluded.first_on),
    last_on = greatest(known.last_on, excluded.last_on),
    count = least(known.count::numeric + excluded.count, 9223372036854775807)`;

export async function countPermissions(manager: EntityManager, uses: readonly NotedUse[]): Promise<void> {
  const rows = uses.flatMap(({ keyId, permissions }) => permissions.map((use) => ({ keyId, ...use })));
  if (rows.length > 0) await manager.query(KEEP, [JSON.stringify(rows)]);
}

const CHAIN = chainFrom('SELECT id, replaces, permissions_since FROM api_keys WHERE id = $1');
const USES = `${CHAIN}
  SELECT used, min(first_on) - ${EPOCH} AS "firstDay", max(last_on) - ${EPOCH} AS "lastDay", sum(count)::float8 AS count
  FROM api_key_permissions JOIN chain ON key_id = id GROUP BY used ORDER BY sum(count) DESC, used`;
const SINCE = `${CHAIN} SELECT (min(permissions_since) AT TIME ZONE 'UTC')::date - ${EPOCH} AS since FROM chain`;

/** A successor has the record of the key that it replaced, too. */
export async function permissionUse(manager: EntityManager, keyId: string, today: UtcDay) {
  const [row] = await manager.query<{ since: UtcDay | null }[]>(SINCE, [keyId]);
  return {
    permissionUse: await manager.query<PermissionUse[]>(USES, [keyId]),
    permissionUseSince: row!.since ?? today,
  };
}

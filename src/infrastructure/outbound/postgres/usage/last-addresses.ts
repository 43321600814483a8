import type { EntityManager } from 'typeorm';
import { ADDRESSES_KEPT } from '../../../../domain/usage/key-history.js';
import type { UsedAddress } from './used-addresses.js';

/** Whatever instance writes first: an address is known from the first use on, and its service is that of the last. */
const KEEP = `
  INSERT INTO api_key_addresses AS known (key_id, client_ip, service, first_at, last_at)
  SELECT "keyId", "clientIp", service, to_timestamp("firstMs" / 1000), to_timestamp("lastMs" / 1000)
  FROM json_to_recordset($1) AS used ("keyId" uuid, "clientIp" text, service text, "firstMs" float8, "lastMs" float8)
  ORDER BY "keyId", "clientIp"
  ON CONFLICT (key_id, client_ip) DO UPDATE SET
    first_at = least(known.first_at, excluded.first_at),
    last_at = greatest(known.last_at, excluded.last_at),
    service = CASE WHEN known.last_at > excluded.last_at THEN known.service ELSE excluded.service END`;

/** Of the given keys, all but the newest few. */
const FORGET = `
  DELETE FROM api_key_addresses USING (
    SELECT key_id, client_ip, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC, client_ip) AS place
    FROM api_key_addresses WHERE key_id = ANY($1)
  ) AS ranked
  WHERE api_key_addresses.key_id = ranked.key_id AND api_key_addresses.client_ip = ranked.client_ip AND place > $2`;

/**
 * Keeps the last addresses of each key.
 * @param added those of them that are not stored yet: where there are none, there are no more than before
 */
export async function keepAddresses(
  manager: EntityManager,
  addresses: readonly UsedAddress[],
  added: readonly UsedAddress[],
): Promise<void> {
  await manager.query(KEEP, [JSON.stringify(addresses)]);
  const keyIds = [...new Set(added.map(({ keyId }) => keyId))];
  if (keyIds.length > 0) await manager.query(FORGET, [keyIds, ADDRESSES_KEPT]);
}

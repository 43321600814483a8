import type { EntityManager } from 'typeorm';
import { ADDRESSES_KEPT } from '../../../../domain/usage/key-history.js';
import type { UsedAddress } from './used-addresses.js';

/** Whatever instance writes first: an address is known from the first use on, and its service is that of the last. */
const ADDRESSES = `
  INSERT INTO api_key_addresses AS known (key_id, client_ip, service, first_at, last_at)
  SELECT key_id, client_ip, service, to_timestamp(first_ms / 1000), to_timestamp(last_ms / 1000)
  FROM json_to_recordset($1) AS noted (key_id uuid, client_ip text, service text, first_ms float8, last_ms float8)
  ORDER BY key_id, client_ip
  ON CONFLICT (key_id, client_ip) DO UPDATE SET
    first_at = least(known.first_at, excluded.first_at),
    last_at = greatest(known.last_at, excluded.last_at),
    service = CASE WHEN known.last_at > excluded.last_at THEN known.service ELSE excluded.service END
  RETURNING key_id, date_part('epoch', first_at) * 1000 AS first_ms`;

/** Of the given keys, all but the newest few. */
const FORGET = `
  DELETE FROM api_key_addresses USING (
    SELECT key_id, client_ip, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC, client_ip) AS place
    FROM api_key_addresses WHERE key_id = ANY($1)
  ) AS ranked
  WHERE api_key_addresses.key_id = ranked.key_id AND api_key_addresses.client_ip = ranked.client_ip AND place > $2`;

/** Keeps the last addresses of each key. */
export async function keepAddresses(manager: EntityManager, addresses: readonly UsedAddress[]): Promise<void> {
  if (addresses.length === 0) return;
  const rows = addresses.map(({ keyId, clientIp, service, firstMs, lastMs }) => ({
    key_id: keyId,
    client_ip: clientIp,
    service,
    first_ms: firstMs,
    last_ms: lastMs,
  }));
  const written = await manager.query<{ key_id: string; first_ms: number }[]>(ADDRESSES, [JSON.stringify(rows)]);
  const firsts = new Set(addresses.map(({ keyId, firstMs }) => `${keyId} ${firstMs}`));
  // Where no address begins, there are no more of them than before.
  const grown = written.filter(({ key_id, first_ms }) => firsts.has(`${key_id} ${Math.round(first_ms)}`));
  const keyIds = [...new Set(grown.map(({ key_id }) => key_id))];
  if (keyIds.length > 0) await manager.query(FORGET, [keyIds, ADDRESSES_KEPT]);
}

import type { EntityManager } from 'typeorm';
import type { UsedAddress } from './used-addresses.js';

/** Addresses that are not stored yet, and those of whose network it is not stored that it was seen on their day. */
export interface UnknownAddresses {
  readonly addresses: readonly UsedAddress[];
  readonly networks: readonly UsedAddress[];
}

const UNKNOWN = `
  SELECT place, address.key_id IS NULL AS "isAddress", network.key_id IS NULL AS "isNetwork"
  FROM json_to_recordset($1)
    AS used (place integer, "keyId" uuid, "clientIp" text, network text, day integer)
  LEFT JOIN api_key_addresses AS address ON address.key_id = "keyId" AND address.client_ip = "clientIp"
  LEFT JOIN api_key_networks AS network
    ON network.key_id = "keyId" AND network.network = used.network AND last_on >= date '1970-01-01' + day
  WHERE address.key_id IS NULL OR network.key_id IS NULL ORDER BY place`;

/** A look that spares the others: nearly all are known. */
export async function unknownAmong(
  manager: EntityManager,
  addresses: readonly UsedAddress[],
): Promise<UnknownAddresses> {
  const used = addresses.map(({ keyId, clientIp, network, day }, place) => ({ place, keyId, clientIp, network, day }));
  type Row = { place: number; isAddress: boolean; isNetwork: boolean };
  const rows = await manager.query<Row[]>(UNKNOWN, [JSON.stringify(used)]);
  return {
    addresses: rows.filter(({ isAddress }) => isAddress).map(({ place }) => addresses[place]!),
    networks: rows.filter(({ isNetwork }) => isNetwork).map(({ place }) => addresses[place]!),
  };
}

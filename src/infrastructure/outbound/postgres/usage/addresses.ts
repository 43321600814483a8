import type { EntityManager } from 'typeorm';
import { canonicalAddress } from '#domain/ip-address.js';
import { ADDRESSES_KEPT } from '#domain/usage/key-history.js';
import { usageNetwork } from '#domain/usage/key-networks.js';
import { utcDay, type UtcDay } from '#domain/time.js';
import { type NotedAddress, NotedAddresses } from './noted-addresses.js';
import { type NotedUse, withDenial } from './noted-key.js';

/** An address that a key was used from, in its canonical spelling. */
interface UsedAddress extends NotedAddress {
  readonly keyId: string;
  readonly network: string;
  /** The day of the last grant. */
  readonly day: UtcDay;
}

/** The addresses of each key, sorted by first use. */
export function usedAddresses(uses: readonly NotedUse[]): UsedAddress[] {
  return uses.flatMap(({ keyId, addresses }) => {
    const spelled = new NotedAddresses();
    for (const { clientIp, service, firstMs, lastMs } of addresses) {
      spelled.note(canonicalAddress(clientIp), service, firstMs, lastMs);
    }
    const used = spelled.take().map((address) => ({
      ...address,
      keyId,
      network: usageNetwork(address.clientIp),
      day: utcDay(new Date(address.lastMs)),
    }));
    return used.sort((one, other) => one.firstMs - other.firstMs);
  });
}

const UNKNOWN = `
  SELECT place, address.key_id IS NULL AS "isAddress", network.key_id IS NULL AS "isNetwork"
  FROM json_to_recordset($1)
    AS used (place integer, "keyId" uuid, "clientIp" text, network text, day integer)
  LEFT JOIN api_key_addresses AS address ON address.key_id = "keyId" AND address.client_ip = "clientIp"
  LEFT JOIN api_key_networks AS network
    ON network.key_id = "keyId" AND network.network = used.network AND last_on >= date '1970-01-01' + day
  WHERE address.key_id IS NULL OR network.key_id IS NULL ORDER BY place`;

/** Finds addresses, and networks of a day, that are not stored yet. Most are stored already, so few have to be written. */
export async function newAmong(manager: EntityManager, addresses: readonly UsedAddress[]) {
  const used = addresses.map(({ keyId, clientIp, network, day }, place) => ({ place, keyId, clientIp, network, day }));
  type Row = { place: number; isAddress: boolean; isNetwork: boolean };
  const rows = await manager.query<Row[]>(UNKNOWN, [JSON.stringify(used)]);
  return {
    addresses: rows.filter(({ isAddress }) => isAddress).map(({ place }) => addresses[place]!),
    networks: rows.filter(({ isNetwork }) => isNetwork).map(({ place }) => addresses[place]!),
  };
}

/** Sets a column to what the later of two rows has. */
function ofLater(column: string): string {
  return `${column} = CASE WHEN known.last_at > excluded.last_at THEN known.${column} ELSE excluded.${column} END`;
}

/** Keeps the earliest first use, and the latest last use with its service, in any order of writes. */
const KEEP = `
  INSERT INTO api_key_addresses AS known (key_id, client_ip, service, first_at, last_at)
  SELECT "keyId", "clientIp", service, to_timestamp("firstMs" / 1000), to_timestamp("lastMs" / 1000)
  FROM json_to_recordset($1) AS used ("keyId" uuid, "clientIp" text, service text, "firstMs" float8, "lastMs" float8)
  ORDER BY "keyId", "clientIp"
  ON CONFLICT (key_id, client_ip) DO UPDATE SET
    first_at = least(known.first_at, excluded.first_at),
    last_at = greatest(known.last_at, excluded.last_at),
    ${ofLater('service')}`;

/** Of the given keys, deletes all but the most recent addresses. */
const FORGET = (table: string) => `
  DELETE FROM ${table} USING (
    SELECT key_id, client_ip, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC, client_ip) AS place
    FROM ${table} WHERE key_id = ANY($1)
  ) AS ranked
  WHERE ${table}.key_id = ranked.key_id AND ${table}.client_ip = ranked.client_ip AND place > $2`;

/** @param added those that were not stored before; without any, there is nothing to delete */
export async function keepAddresses(
  manager: EntityManager,
  addresses: readonly UsedAddress[],
  added: readonly UsedAddress[],
): Promise<void> {
  await manager.query(KEEP, [JSON.stringify(addresses)]);
  const keyIds = [...new Set(added.map(({ keyId }) => keyId))];
  if (keyIds.length > 0) await manager.query(FORGET('api_key_addresses'), [keyIds, ADDRESSES_KEPT]);
}

/** Keeps the earliest first denial, and the latest one with its facts, in any order of writes. */
const KEEP_DENIALS = `
  INSERT INTO api_key_denials AS known (key_id, client_ip, service, first_at, last_at, reason, operation, permission)
  SELECT "keyId", "clientIp", service, to_timestamp("firstMs" / 1000), to_timestamp("lastMs" / 1000), reason, operation,
    permission
  FROM json_to_recordset($1) AS denied ("keyId" uuid, "clientIp" text, service text, "firstMs" float8, "lastMs" float8,
    reason text, operation text, permission text)
  ORDER BY "keyId", "clientIp"
  ON CONFLICT (key_id, client_ip) DO UPDATE SET
    first_at = least(known.first_at, excluded.first_at),
    ${['service', 'reason', 'operation', 'permission'].map(ofLater).join(', ')},
    last_at = greatest(known.last_at, excluded.last_at)`;

export async function keepDenials(manager: EntityManager, uses: readonly NotedUse[]): Promise<void> {
  const denials = uses.flatMap(({ keyId, denials: noted }) => {
    const spelled = noted.map((denial) => ({ ...denial, clientIp: canonicalAddress(denial.clientIp) }));
    return spelled.reduce(withDenial, []).map((denial) => ({ keyId, ...denial }));
  });
  if (denials.length === 0) return;
  await manager.query(KEEP_DENIALS, [JSON.stringify(denials)]);
  const keyIds = [...new Set(denials.map(({ keyId }) => keyId))];
  await manager.query(FORGET('api_key_denials'), [keyIds, ADDRESSES_KEPT]);
}

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

const UNKNOWN_NETWORKS = `
  SELECT place FROM json_to_recordset($1) AS used (place integer, "keyId" uuid, network text, day integer)
  LEFT JOIN api_key_networks AS known
    ON known.key_id = "keyId" AND known.network = used.network AND last_on >= date '1970-01-01' + day
  WHERE known.key_id IS NULL ORDER BY place`;

/** Those from a network that is not stored for this day yet. Most are stored already, so few have to be written. */
export async function fromNewNetworks(
  manager: EntityManager,
  addresses: readonly UsedAddress[],
): Promise<UsedAddress[]> {
  const used = addresses.map(({ keyId, network, day }, place) => ({ place, keyId, network, day }));
  const rows = await manager.query<{ place: number }[]>(UNKNOWN_NETWORKS, [JSON.stringify(used)]);
  return rows.map(({ place }) => addresses[place]!);
}

const FACTS = {
  api_key_addresses: ['service'],
  api_key_denials: ['service', 'reason', 'operation', 'permission'],
};
type Table = keyof typeof FACTS;

/**
 * Keeps the earliest first time, and the latest last time with its facts, in any order of writes. Returns the keys with
 * an address that is new: only a row that was inserted has the xmax 0.
 */
const KEEP = (table: Table) => `
  WITH kept AS (
    INSERT INTO ${table} AS known (key_id, client_ip, first_at, last_at, ${FACTS[table].join()})
    SELECT "keyId", "clientIp", to_timestamp("firstMs" / 1000), to_timestamp("lastMs" / 1000), ${FACTS[table].join()}
    FROM json_to_recordset($1)
      AS used ("keyId" uuid, "clientIp" text, "firstMs" float8, "lastMs" float8, ${FACTS[table].join(' text,')} text)
    ORDER BY "keyId", "clientIp"
    ON CONFLICT (key_id, client_ip) DO UPDATE SET
      ${FACTS[table].map((fact) => `${fact} = CASE WHEN known.last_at > excluded.last_at THEN known.${fact} ELSE excluded.${fact} END,`).join(' ')}
      first_at = least(known.first_at, excluded.first_at),
      last_at = greatest(known.last_at, excluded.last_at)
    RETURNING key_id, xmax = 0 AS is_new)
  SELECT DISTINCT key_id FROM kept WHERE is_new`;

/** Of the given keys, deletes all but the most recent addresses. */
const FORGET = (table: Table) => `
  DELETE FROM ${table} USING (
    SELECT key_id, client_ip, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC, client_ip) AS place
    FROM ${table} WHERE key_id = ANY($1)
  ) AS ranked
  WHERE ${table}.key_id = ranked.key_id AND ${table}.client_ip = ranked.client_ip AND place > ${ADDRESSES_KEPT}`;

export async function keepAddresses(manager: EntityManager, table: Table, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const grown = await manager.query<{ key_id: string }[]>(KEEP(table), [JSON.stringify(rows)]);
  if (grown.length > 0) await manager.query(FORGET(table), [grown.map((row) => row.key_id)]);
}

/** The last denial of each address. */
export function deniedUses(uses: readonly NotedUse[]) {
  return uses.flatMap(({ keyId, denials }) => {
    const spelled = denials.map((denial) => ({ ...denial, clientIp: canonicalAddress(denial.clientIp) }));
    return spelled.reduce(withDenial, []).map((denial) => ({ keyId, ...denial }));
  });
}

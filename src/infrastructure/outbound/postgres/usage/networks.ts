import type { EntityManager } from 'typeorm';
import type { NetworkUse, NetworkUses } from '#application/key-ports.js';
import { KeyNetworks } from '#domain/usage/key-networks.js';
import type { UtcDay } from '#domain/time.js';
import { keysBy } from '../keys/key-rows.js';

/** Saves what `decide` changes. The rows of the keys' last uses are locked, so one instance at a time decides. */
export async function withNetworks<T>(
  manager: EntityManager,
  uses: readonly NetworkUse[],
  decide: (used: NetworkUses) => Promise<T>,
): Promise<T> {
  const networks = await load(manager, [...new Set(uses.map(({ keyId }) => keyId))]);
  const findKeys = (ids: readonly string[]) => keysBy(manager, 'id', ids);
  const answer = await decide({ uses, networks, findKeys });
  await save(manager, networks);
  return answer;
}

/** For keys that were used, so each of them has a row. */
const LOAD = `
  SELECT key_id AS "keyId", has_networks AS "hasBegun", network_told_on - date '1970-01-01' AS "notifiedOn"
  FROM api_key_usage WHERE key_id = ANY($1)`;
const LOAD_NETWORKS = `
  SELECT key_id AS "keyId", network, last_on - date '1970-01-01' AS day FROM api_key_networks WHERE key_id = ANY($1)`;

async function load(manager: EntityManager, keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyNetworks>> {
  type KeyRow = { keyId: string; hasBegun: boolean; notifiedOn: UtcDay | null };
  type NetworkRow = { keyId: string; network: string; day: UtcDay };
  const keys = await manager.query<KeyRow[]>(LOAD, [keyIds]);
  const networks = await manager.query<NetworkRow[]>(LOAD_NETWORKS, [keyIds]);
  const lastDays = new Map(keys.map(({ keyId }) => [keyId, new Map<string, UtcDay>()]));
  for (const { keyId, network, day } of networks) lastDays.get(keyId)!.set(network, day);
  return new Map(
    keys.map(({ keyId, ...state }) => [keyId, new KeyNetworks({ ...state, lastDays: lastDays.get(keyId)! })]),
  );
}

const SAVE = `
  UPDATE api_key_usage SET has_networks = "hasBegun", network_told_on = date '1970-01-01' + "notifiedOn"
  FROM json_to_recordset($1) AS changed ("keyId" uuid, "hasBegun" boolean, "notifiedOn" integer)
  WHERE key_id = "keyId"
    AND (has_networks, network_told_on) IS DISTINCT FROM ("hasBegun", date '1970-01-01' + "notifiedOn")`;
const SAVE_NETWORKS = `
  INSERT INTO api_key_networks (key_id, network, last_on)
  SELECT "keyId", network, date '1970-01-01' + day
  FROM json_to_recordset($1) AS seen ("keyId" uuid, network text, day integer)
  ORDER BY "keyId", network
  ON CONFLICT (key_id, network) DO UPDATE SET last_on = excluded.last_on`;

async function save(manager: EntityManager, networks: ReadonlyMap<string, KeyNetworks>): Promise<void> {
  const changes = [...networks].map(([keyId, of]) => ({ keyId, ...of.changes() }));
  const keys = changes.map(({ keyId, hasBegun, notifiedOn }) => ({ keyId, hasBegun, notifiedOn }));
  const seen = changes.flatMap(({ keyId, lastDays }) =>
    [...lastDays].map(([network, day]) => ({ keyId, network, day })),
  );
  await manager.query(SAVE, [JSON.stringify(keys)]);
  await manager.query(SAVE_NETWORKS, [JSON.stringify(seen)]);
}

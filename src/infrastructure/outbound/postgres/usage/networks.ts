import { In, type EntityManager } from 'typeorm';
import type { NetworkUse, NetworkUses } from '../../../../application/ports.js';
import { KeyNetworks } from '../../../../domain/usage/key-networks.js';
import type { UtcDay } from '../../../../domain/usage/utc-day.js';
import { toApiKey } from '../keys/mapping.js';
import { ApiKeyRow } from '../keys/rows.js';

/**
 * Passes the networks of each key to `decide`, and then saves them with the changes that it made. The rows of the keys'
 * last uses are locked, so only one instance at a time decides about a key.
 */
export async function withNetworks<T>(
  manager: EntityManager,
  uses: readonly NetworkUse[],
  decide: (used: NetworkUses) => Promise<T>,
): Promise<T> {
  const networks = await load(manager, [...new Set(uses.map(({ keyId }) => keyId))]);
  const findKeys = async (ids: readonly string[]) =>
    (await manager.findBy(ApiKeyRow, { id: In([...ids]) })).map(toApiKey);
  const answer = await decide({ uses, networks, findKeys });
  await save(manager, networks);
  return answer;
}

/** For keys that were used, so each of them has a row. */
const LOAD = `
  SELECT key_id, has_networks, network_told_on - date '1970-01-01' AS told_on
  FROM api_key_usage WHERE key_id = ANY($1)`;
const LOAD_NETWORKS = `
  SELECT key_id, network, last_on - date '1970-01-01' AS last_day FROM api_key_networks WHERE key_id = ANY($1)`;

async function load(manager: EntityManager, keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyNetworks>> {
  type KeyRow = { key_id: string; has_networks: boolean; told_on: UtcDay | null };
  type NetworkRow = { key_id: string; network: string; last_day: UtcDay };
  const keys = await manager.query<KeyRow[]>(LOAD, [keyIds]);
  const networks = await manager.query<NetworkRow[]>(LOAD_NETWORKS, [keyIds]);
  const lastDays = new Map(keys.map(({ key_id }) => [key_id, new Map<string, UtcDay>()]));
  for (const { key_id, network, last_day } of networks) lastDays.get(key_id)!.set(network, last_day);
  return new Map(
    keys.map(({ key_id, has_networks, told_on }) => [
      key_id,
      KeyNetworks.restore({ lastDays: lastDays.get(key_id)!, hasBegun: has_networks, notifiedOn: told_on }),
    ]),
  );
}

const SAVE = `
  UPDATE api_key_usage SET has_networks = changed.has_networks, network_told_on = date '1970-01-01' + told_on
  FROM json_to_recordset($1) AS changed (key_id uuid, has_networks boolean, told_on integer)
  WHERE api_key_usage.key_id = changed.key_id
    AND (api_key_usage.has_networks, network_told_on)
      IS DISTINCT FROM (changed.has_networks, date '1970-01-01' + told_on)`;
const SAVE_NETWORKS = `
  INSERT INTO api_key_networks (key_id, network, last_on)
  SELECT key_id, network, date '1970-01-01' + last_day
  FROM json_to_recordset($1) AS seen (key_id uuid, network text, last_day integer)
  ORDER BY key_id, network
  ON CONFLICT (key_id, network) DO UPDATE SET last_on = excluded.last_on`;

async function save(manager: EntityManager, networks: ReadonlyMap<string, KeyNetworks>): Promise<void> {
  const changes = [...networks].map(([key_id, of]) => ({ key_id, ...of.changes() }));
  const keys = changes.map(({ key_id, hasBegun, notifiedOn }) => ({
    key_id,
    has_networks: hasBegun,
    told_on: notifiedOn,
  }));
  const seen = changes.flatMap(({ key_id, lastDays }) =>
    [...lastDays].map(([network, last_day]) => ({ key_id, network, last_day })),
  );
  await manager.query(SAVE, [JSON.stringify(keys)]);
  await manager.query(SAVE_NETWORKS, [JSON.stringify(seen)]);
}

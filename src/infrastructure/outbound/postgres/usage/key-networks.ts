import type { EntityManager } from 'typeorm';
import { KeyNetworks } from '../../../../domain/usage/key-networks.js';
import type { UtcDay } from '../../../../domain/usage/utc-day.js';

/** Of keys that were used: each has its row of the last use. */
const LOAD = `
  SELECT key_id, has_networks, network_told_on - date '1970-01-01' AS told_on
  FROM api_key_usage WHERE key_id = ANY($1)`;
const LOAD_NETWORKS = `
  SELECT key_id, network, last_on - date '1970-01-01' AS last_day FROM api_key_networks WHERE key_id = ANY($1)`;

export async function loadNetworks(
  manager: EntityManager,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, KeyNetworks>> {
  type KeyRow = { key_id: string; has_networks: boolean; told_on: UtcDay | null };
  const keys = await manager.query<KeyRow[]>(LOAD, [keyIds]);
  const networks = await manager.query<{ key_id: string; network: string; last_day: UtcDay }[]>(LOAD_NETWORKS, [
    keyIds,
  ]);
  const lastDays = new Map(keys.map(({ key_id }) => [key_id, new Map<string, UtcDay>()]));
  for (const { key_id, network, last_day } of networks) lastDays.get(key_id)!.set(network, last_day);
  return new Map(
    keys.map(({ key_id, has_networks, told_on }) => [
      key_id,
      KeyNetworks.restore({ lastDays: lastDays.get(key_id)!, hasBegun: has_networks, toldOn: told_on }),
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

export async function saveNetworks(manager: EntityManager, networks: ReadonlyMap<string, KeyNetworks>): Promise<void> {
  const changes = [...networks].map(([key_id, of]) => ({ key_id, ...of.changes() }));
  const keys = changes.map(({ key_id, hasBegun, toldOn }) => ({ key_id, has_networks: hasBegun, told_on: toldOn }));
  const seen = changes.flatMap(({ key_id, lastDays }) =>
    [...lastDays].map(([network, last_day]) => ({ key_id, network, last_day })),
  );
  await manager.query(SAVE, [JSON.stringify(keys)]);
  await manager.query(SAVE_NETWORKS, [JSON.stringify(seen)]);
}

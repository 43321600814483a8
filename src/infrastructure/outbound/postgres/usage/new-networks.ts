import { In, type EntityManager } from 'typeorm';
import type { KeyNotice } from '../../../../domain/notices/key-notice.js';
import { utcDay, type UtcDay } from '../../../../domain/usage/utc-day.js';
import { toApiKey } from '../tables/mapping.js';
import { ApiKeyRow } from '../tables/rows.js';
import { loadNetworks, saveNetworks } from './key-networks.js';
import type { UsedAddress } from './used-addresses.js';

/**
 * Keeps the networks of each key, and answers of which its owner is to be told. The keys' rows of last uses are locked: what
 * is decided here of a key is decided by one instance at a time.
 */
export async function noticeNewNetworks(
  manager: EntityManager,
  addresses: readonly UsedAddress[],
): Promise<KeyNotice[]> {
  const unseen = await unseenOf(manager, addresses);
  if (unseen.length === 0) return [];
  const networks = await loadNetworks(manager, [...new Set(unseen.map(({ keyId }) => keyId))]);
  const told = unseen.filter(({ keyId, network, lastMs }) => networks.get(keyId)!.grantedFrom(network, dayOf(lastMs)));
  await saveNetworks(manager, networks);
  return noticesOf(manager, told);
}

const UNSEEN = `
  SELECT place FROM json_to_recordset($1) AS noted (place integer, key_id uuid, network text, day integer)
  WHERE NOT EXISTS (
    SELECT FROM api_key_networks AS known
    WHERE known.key_id = noted.key_id AND known.network = noted.network
      AND known.last_on >= date '1970-01-01' + noted.day
  ) ORDER BY place`;

/** All but those that are known of the day already, which nearly all are. */
async function unseenOf(manager: EntityManager, addresses: readonly UsedAddress[]): Promise<UsedAddress[]> {
  if (addresses.length === 0) return [];
  const rows = addresses.map(({ keyId, network, lastMs }, place) => ({
    place,
    key_id: keyId,
    network,
    day: dayOf(lastMs),
  }));
  const unseen = await manager.query<{ place: number }[]>(UNSEEN, [JSON.stringify(rows)]);
  return unseen.map(({ place }) => addresses[place]!);
}

async function noticesOf(manager: EntityManager, told: readonly UsedAddress[]): Promise<KeyNotice[]> {
  if (told.length === 0) return [];
  const rows = await manager.findBy(ApiKeyRow, { id: In(told.map(({ keyId }) => keyId)) });
  const keys = new Map(rows.map((row) => [row.id, toApiKey(row)]));
  return told.map(({ keyId, clientIp }) => ({
    type: 'api_key.used_from_new_network',
    key: keys.get(keyId)!,
    clientIp,
  }));
}

function dayOf(ms: number): UtcDay {
  return utcDay(new Date(ms));
}

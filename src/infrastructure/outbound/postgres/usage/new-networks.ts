import { In, type EntityManager } from 'typeorm';
import type { KeyNotice } from '../../../../domain/notices/key-notice.js';
import { toApiKey } from '../keys/mapping.js';
import { ApiKeyRow } from '../keys/rows.js';
import { loadNetworks, saveNetworks } from './key-networks.js';
import type { UsedAddress } from './used-addresses.js';

/**
 * Keeps the networks of each key, and answers of which its owner is to be told. The keys' rows of last uses are locked: what
 * is decided here of a key is decided by one instance at a time.
 * @param unseen addresses from whose network the key is not known to have been granted on their day
 */
export async function noticeNewNetworks(manager: EntityManager, unseen: readonly UsedAddress[]): Promise<KeyNotice[]> {
  if (unseen.length === 0) return [];
  const networks = await loadNetworks(manager, [...new Set(unseen.map(({ keyId }) => keyId))]);
  const told = unseen.filter(({ keyId, network, day }) => networks.get(keyId)!.grantedFrom(network, day));
  await saveNetworks(manager, networks);
  return noticesOf(manager, told);
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

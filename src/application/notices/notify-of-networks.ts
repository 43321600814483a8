import type { NotifyOfNetworks } from '../ports.js';

/** Notifies owners when their key was granted from a new network. */
export const notifyOfNetworks: NotifyOfNetworks = async ({ uses, networks, findKeys }) => {
  const fresh = uses.filter(({ keyId, network, day }) => networks.get(keyId)!.grantedFrom(network, day));
  if (fresh.length === 0) return [];
  const keys = new Map((await findKeys(fresh.map(({ keyId }) => keyId))).map((key) => [key.id, key]));
  return fresh.map(({ keyId, clientIp }) => ({
    type: 'api_key.used_from_new_network',
    key: keys.get(keyId)!,
    clientIp,
  }));
};

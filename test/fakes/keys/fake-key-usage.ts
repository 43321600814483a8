import type { KeyUsage } from '../../../src/application/ports.js';
import { canonicalAddress } from '../../../src/domain/audit/client-network.js';
import { ApiKey } from '../../../src/domain/keys/api-key.js';
import { DAY_MS } from '../../../src/domain/time.js';
import {
  ADDRESSES_KEPT,
  type AddressUse,
  firstKeptDay,
  type KeyHistory,
  USAGE_KEPT_DAYS,
} from '../../../src/domain/usage/key-history.js';
import { KeyNetworks, usageNetwork } from '../../../src/domain/usage/key-networks.js';
import { utcDay } from '../../../src/domain/usage/utc-day.js';
import type { FakeStore, StoredUsage } from '../fake-store.js';
import { writeOutbox } from '../notices/write-outbox.js';

/** Written at once, which is soon enough. */
export class FakeKeyUsage implements KeyUsage {
  constructor(private readonly store: FakeStore) {}

  noteGrant(keyId: string, clientIp: string | null, service: string | null, at: Date): void {
    const usage = this.usageOf(keyId);
    if (!usage) return;
    const known = this.store.lastUses.get(keyId);
    if (!known || known < at) this.store.lastUses.set(keyId, at);
    count(usage, at, 'granted');
    if (clientIp === null) return;
    keepAddress(usage, canonicalAddress(clientIp), service, at);
    const networks = KeyNetworks.restore(usage.networks);
    const isToBeTold = networks.grantedFrom(usageNetwork(clientIp), utcDay(at));
    const { lastDays, ...state } = networks.changes();
    usage.networks = { ...state, lastDays: new Map([...usage.networks.lastDays, ...lastDays]) };
    const key = ApiKey.restore(this.store.keys.get(keyId)!.state);
    if (isToBeTold) writeOutbox(this.store, [{ type: 'api_key.used_from_new_network', key, clientIp }]);
  }

  noteRefusal(keyId: string, at: Date): void {
    const usage = this.usageOf(keyId);
    if (usage) count(usage, at, 'refused');
  }

  async history(keyId: string, now: Date): Promise<KeyHistory> {
    const usage = this.store.usage.get(keyId);
    const since = now.getTime() - USAGE_KEPT_DAYS * DAY_MS;
    return {
      uses: newestFirst(usage).filter(({ lastAt }) => lastAt.getTime() > since),
      days: [...(usage?.days.values() ?? [])]
        .filter(({ day }) => day >= firstKeptDay(utcDay(now)))
        .sort((one, other) => one.day - other.day),
    };
  }

  private usageOf(keyId: string): StoredUsage | undefined {
    if (this.store.keys.get(keyId)!.isPurged) return undefined;
    const networks = { lastDays: new Map(), hasBegun: false, toldOn: null };
    const usage = this.store.usage.get(keyId) ?? { addresses: new Map(), days: new Map(), networks };
    this.store.usage.set(keyId, usage);
    return usage;
  }
}

function count({ days }: StoredUsage, at: Date, what: 'granted' | 'refused'): void {
  const counted = days.get(utcDay(at)) ?? { day: utcDay(at), granted: 0, refused: 0 };
  days.set(counted.day, { ...counted, [what]: counted[what] + 1 });
}

function keepAddress(usage: StoredUsage, clientIp: string, service: string | null, at: Date): void {
  const known = usage.addresses.get(clientIp) ?? { clientIp, service, firstAt: at, lastAt: at };
  usage.addresses.set(clientIp, {
    clientIp,
    service: known.lastAt > at ? known.service : service,
    firstAt: known.firstAt < at ? known.firstAt : at,
    lastAt: known.lastAt > at ? known.lastAt : at,
  });
  for (const { clientIp: old } of newestFirst(usage).slice(ADDRESSES_KEPT)) usage.addresses.delete(old);
}

function newestFirst(usage: StoredUsage | undefined): AddressUse[] {
  const order = (one: AddressUse, other: AddressUse) =>
    other.lastAt.getTime() - one.lastAt.getTime() || (one.clientIp < other.clientIp ? -1 : 1);
  return [...(usage?.addresses.values() ?? [])].sort(order);
}

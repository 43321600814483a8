import type { LeaseOffer } from '../../../../application/ports.js';
import type { ReportedUses } from '../../../../application/leases/record-lease-uses.js';
import { clientFacts } from '../../shared/client-facts.js';
import type { KeyRestriction } from '../generated/latchkey/v1/KeyRestriction.js';
import {
  numbersOf,
  type WireAnswer,
  type WireLease,
  type WireLeaseReport,
  type WireNumber,
} from './validation-messages.js';

const wireRestriction = numbersOf<KeyRestriction>('KeyRestriction');

/** Restrictions that this release does not know are not in here. */
const RESTRICTION: Readonly<Record<number, string>> = {
  [wireRestriction.KEY_RESTRICTION_PERMISSIONS]: 'permissions',
  [wireRestriction.KEY_RESTRICTION_NETWORKS]: 'networks',
};

/** A guard gives all back in one message, which must be smaller than 64 KiB however high the ids are. */
const MOST_RECALLED = 10_000;

/** @param understands what the guard judges by */
export function restrictionsOf(understands: readonly number[]): ReadonlySet<string> {
  return new Set(understands.flatMap((each) => RESTRICTION[each] ?? []));
}

export function toLease(id: number, { lengthMs, uses, rights }: LeaseOffer): WireLease {
  return { id, lengthMs, uses, hasOwnPermissions: rights.hasSubset, allowedNetworks: rights.allowedNetworks ?? [] };
}

export function* toRecalls(ids: readonly number[]): Generator<WireAnswer> {
  for (let at = 0; at < ids.length; at += MOST_RECALLED) {
    yield { requestId: '', recall: { ids: ids.slice(at, at + MOST_RECALLED) } };
  }
}

export function givenBackIn({ givenBack }: WireLeaseReport): readonly number[] {
  return givenBack.map(numberOf);
}

export function usesIn({ uses }: WireLeaseReport): readonly ReportedUses[] {
  return uses.map(({ keyId, clientIp, count, lastMsAgo }) => ({
    keyId,
    clientIp: clientFacts({ ip: clientIp, userAgent: undefined, requestId: undefined }).ip,
    count: numberOf(count),
    lastMsAgo: numberOf(lastMsAgo),
  }));
}

function numberOf(value: WireNumber): number {
  return typeof value === 'number' ? value : value.toNumber();
}

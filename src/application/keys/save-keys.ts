import { type Actor, type AuditEvent, THE_SERVICE } from '../../domain/audit/audit-event.js';
import type { KeyChange } from '../../domain/keys/key-change.js';
import type { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import { noticesOfChange } from '../../domain/notices/notices-of-change.js';
import type { AccountTransaction } from '../account-transaction.js';

interface Facts {
  /** Under which a key was created. */
  readonly idempotencyKey?: string | undefined;
  /** Where a key stood that had leaked, if that is known. */
  readonly leakedAt?: LeakSite | undefined;
}

/** Stores what changed among the keys, each change with its event and its notices, if any. */
export async function saveKeys(
  transaction: AccountTransaction,
  keys: OwnerKeys,
  actor: Actor,
  { idempotencyKey, leakedAt }: Facts = {},
): Promise<void> {
  for (const change of keys.changes) {
    const { key, became } = change;
    if (became === 'created') await transaction.addKey(key, idempotencyKey);
    else await transaction.saveKey(key);
    const event = eventOf(change, actor, leakedAt);
    if (event) await transaction.record(event);
    for (const notice of noticesOfChange(change, actor.client.ip)) await transaction.tell(notice);
  }
}

/** What goes on record of a change. Nobody brings an expiry about. */
export function eventOf(change: KeyChange, actor: Actor, leakedAt?: LeakSite): AuditEvent | undefined {
  const { key, became } = change;
  const keyId = key.id;
  if (became === 'created') return { type: 'api_key.created', keyId, details: key.fixedFacts(), ...actor };
  if (became === 'rotated') return { type: 'api_key.rotated', keyId, ...actor };
  if (became === 'expired') return { type: 'api_key.expired', keyId, ...THE_SERVICE };
  if (became !== 'revoked') return undefined;
  const details = leakedAt && { details: leakedAt };
  return { type: 'api_key.revoked', keyId, reason: change.reason, ...details, ...actor };
}

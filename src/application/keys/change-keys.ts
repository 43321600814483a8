import { type Actor, type AuditEvent, type RevocationNote, THE_SERVICE } from '#domain/audit/audit-event.js';
import { firstUse, fixedFacts, newLabel, pauseFacts, type LeakSite } from '#domain/audit/event-details.js';
import type { KeyChange, RevocationReason } from '#domain/keys/key-change.js';
import { requireValid } from '#domain/keys/key-rules.js';
import { isOpen, PAUSE_FIELDS, type PausedBy } from '#domain/keys/key-status.js';
import { OwnerKeys, noSuchKey } from '#domain/keys/owner-keys.js';
import { MINUTE_MS } from '#domain/time.js';
import { noticesOfChange } from '#domain/notices/key-notice.js';
import type { KeyChanges } from '../account-ports.js';
import { type ApiKey, keyNotActive } from '#domain/keys/api-key.js';

interface ChangingKeys {
  readonly keys: OwnerKeys;
  readonly actor: Actor;
  readonly idempotencyKey?: string | undefined;
  readonly causes?: Causes | undefined;
}

/** What is known of a revocation, by its reason. */
interface Causes {
  readonly leaked?: LeakSite | undefined;
  readonly administrator?: RevocationNote | undefined;
}

/** Saves the changes even if `change` throws a Refusal, which is then thrown after the commit. */
export async function changeKeys<T>(transaction: KeyChanges, changing: ChangingKeys, change: () => T): Promise<T> {
  try {
    return change();
  } finally {
    await saveKeys(transaction, changing);
  }
}

export async function saveKeys(
  transaction: KeyChanges,
  { keys, actor, idempotencyKey, causes }: ChangingKeys,
): Promise<void> {
  for (const change of keys.changes) {
    const { key, became } = change;
    if (became === 'created') await transaction.addKey(key, idempotencyKey);
    else await transaction.saveKey(key);
    const event = eventOf(change, actor, causes);
    if (event) await transaction.record(event);
    for (const notice of noticesOfChange(change, actor.client.ip, causes?.leaked)) await transaction.notify(notice);
  }
}

/** The event of a change. The actor of an expiry is always the service. */
export function eventOf(change: KeyChange, actor: Actor, causes: Causes = {}): AuditEvent | undefined {
  const { key, became } = change;
  const keyId = key.id;
  if (became === 'created') return { type: 'api_key.created', keyId, details: fixedFacts(key), ...actor };
  if (became === 'rotated') return { type: 'api_key.rotated', keyId, ...actor };
  if (became === 'renamed')
    return { type: 'api_key.renamed', keyId, details: newLabel(key, change.previous), ...actor };
  if (became === 'used')
    return { type: 'api_key.first_used', keyId, details: firstUse(key, change.replaced), ...actor };
  if (became === 'paused' || became === 'resumed')
    return { type: `api_key.${became}`, keyId, details: pauseFacts(key, change.by), ...actor };
  if (became === 'expired') return { type: 'api_key.expired', keyId, ...THE_SERVICE };
  if (became !== 'revoked') return undefined;
  const { reason } = change;
  const details = reason === 'leaked' || reason === 'administrator' ? causes[reason] : undefined;
  return { type: 'api_key.revoked', keyId, reason, ...(details && { details }), ...actor };
}

/** One of the account's keys. All open ones are locked first, in the order of their ids. Throws `not_found`. */
export async function anyKey(transaction: KeyChanges, keyId: string) {
  const open = await transaction.openKeys();
  const found = await transaction.findKey(keyId);
  if (!found) throw noSuchKey();
  const key = open.find(({ id }) => id === keyId);
  return { keys: new OwnerKeys(key ? open : [...open, found]), key: key ?? found };
}

/** The same. Throws `api_key_not_active` for a key whose end is recorded. */
export async function openKey(transaction: KeyChanges, keyId: string) {
  const found = await anyKey(transaction, keyId);
  if (!isOpen(found.key.snapshot())) throw keyNotActive(found.key.status(transaction.now));
  return found;
}

export type ChangeOfKey = (transaction: KeyChanges, actor: Actor) => Promise<ApiKey>;

/** Throws `not_found`, and `api_key_not_active` for a key that has ended. */
export function revoking(keyId: string, reason: RevocationReason, causes?: Causes): ChangeOfKey {
  return async (transaction, actor) => {
    const { keys, key } = await openKey(transaction, keyId);
    await changeKeys(transaction, { keys, actor, causes }, () => keys.revoke(keyId, reason, transaction.now));
    return key;
  };
}

/** Throws `invalid_fields`. The change throws as the other one. @param minutes null ends the pause */
export function pausing(keyId: string, by: PausedBy, minutes: number | null): ChangeOfKey {
  if (minutes !== null) requireValid(PAUSE_FIELDS, { minutes });
  return async (transaction, actor) => {
    const { now } = transaction;
    const { keys, key } = await openKey(transaction, keyId);
    await changeKeys(transaction, { keys, actor }, () =>
      minutes === null
        ? keys.resume(keyId, by, now)
        : keys.pause(keyId, by, new Date(now.getTime() + minutes * MINUTE_MS), now),
    );
    return key;
  };
}

import type { ApiKey } from '../keys/api-key.js';
import type { KeyLabel } from '../keys/key-state.js';

/** The details of the events of a key, as the audit trail stores them. */

/** Of a new key: what never changes. */
export function fixedFacts(key: ApiKey) {
  const { access, publicPart, digest, expiresAt, replaces, graceSeconds, permissions, allowedNetworks } =
    key.snapshot();
  const restrictions = { ...(permissions && { permissions }), ...(allowedNetworks && { allowedNetworks }) };
  const rotation = replaces === null ? {} : { replaces, graceSeconds };
  const facts = { access, publicPart, digest: digest.toString('hex'), expiresAt: expiresAt.toISOString() };
  return { ...facts, ...restrictions, ...rotation, ...(key.isImported && { imported: true }) };
}

/** Of the first use of a successor: the end that it gave the old key. */
export function firstUse(key: ApiKey, replaced: ApiKey | undefined) {
  const { firstUsedAt, replaces } = key.snapshot();
  const old = replaced?.snapshot();
  const end = old && (old.revokedAt ?? old.endsAt);
  return { firstUsedAt: firstUsedAt!.toISOString(), replaces, endsAt: end?.toISOString() ?? null };
}

/** Of a key that was renamed. */
export function newLabel(key: ApiKey, previous: KeyLabel) {
  const { name, note } = key.snapshot();
  return { name, note, previousName: previous.name, previousNote: previous.note };
}

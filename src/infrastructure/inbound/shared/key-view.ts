import type { ListedKey, OwnedKey } from '#application/lists.js';
import type { Account } from '#domain/accounts/account.js';
import type { LeakSite } from '#domain/audit/event-details.js';

/** A key as owners and administrators see it. Built field by field, without the secret's digest. */
export function keyView({ key, now, access, createdBy, lastUsedAt, idleEndsAt, ...listed }: ListedKey) {
  const { recent, couldNarrow, handled, revocation } = listed;
  const { id, name, note, createdAt, expiresAt, revokedAt, ...rotation } = key.snapshot();
  const { replaces, replacedBy, endsAt, graceSeconds, permissions, allowedNetworks } = rotation;
  return {
    id,
    name,
    note,
    access,
    permissions: permissions && [...permissions],
    allowedNetworks: allowedNetworks && [...allowedNetworks],
    prefix: key.shown,
    createdAt: createdAt.toISOString(),
    createdBy: {
      id: createdBy.id,
      displayName: createdBy.displayName,
      isFormerManager: createdBy.isFormerManager,
    },
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    status: key.status(now),
    pausedUntil: key.pausedUntil(now)?.toISOString() ?? null,
    replaces,
    replacedBy,
    endsAt: endsAt?.toISOString() ?? null,
    graceSeconds,
    idleEndsAt: idleEndsAt?.toISOString() ?? null,
    revokedReason: revocation?.reason ?? null,
    leak: revocation?.leak ? leakView(revocation.leak) : null,
    couldNarrow,
    recent: { granted: [...recent.granted], refused: [...recent.refused] },
    handled: [...handled],
  };
}

/** Of whom a key is, in a list over all owners. */
export function ownerView({ id, email, displayName, kind, status }: Account) {
  return { id, email, displayName, kind, status };
}

export function ownedKeyView(owned: OwnedKey) {
  return { ...keyView(owned), owner: ownerView(owned.owner) };
}

export function leakView({ source, url }: LeakSite) {
  return { source, url };
}

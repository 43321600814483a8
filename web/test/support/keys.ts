import type { ApiKey, AuditEvent } from '../../src/api/types';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The time so long from now. */
export const iso = (fromNowMs: number): string => new Date(Date.now() + fromNowMs).toISOString();

const NO_DAYS = Array.from({ length: 30 }, () => 0);
let made = 0;

/** An active key with 90 days that was never used. */
export function anApiKey(given: Partial<ApiKey> = {}): ApiKey {
  made += 1;
  const number = made.toString(16).padStart(12, '0');
  return {
    id: `00000000-0000-4000-8000-${number}`,
    name: 'CI deploy',
    note: null,
    access: 'read-only',
    permissions: null,
    allowedNetworks: null,
    prefix: `lk_${number}`,
    createdAt: iso(-made),
    createdBy: { id: 'ada', displayName: 'Ada Lovelace', isFormerManager: false },
    lastUsedAt: null,
    expiresAt: iso(90 * DAY_MS),
    revokedAt: null,
    status: 'active',
    replaces: null,
    replacedBy: null,
    endsAt: null,
    graceSeconds: null,
    idleEndsAt: null,
    revokedReason: null,
    leak: null,
    recent: { granted: NO_DAYS, refused: NO_DAYS },
    ...given,
  };
}

export const aRevokedKey = (given: Partial<ApiKey> = {}): ApiKey =>
  anApiKey({ status: 'revoked', revokedAt: iso(-DAY_MS), revokedReason: 'owner', ...given });

export function anEvent(given: Partial<AuditEvent> & Pick<AuditEvent, 'type'>): AuditEvent {
  made += 1;
  return {
    id: String(made),
    at: iso(-made * 1000),
    keyId: null,
    reason: null,
    count: 1,
    clientIp: null,
    userAgent: null,
    requestId: null,
    leak: null,
    previousName: null,
    actor: null,
    ...given,
  };
}

import type { ApiKey, KeyStatus } from '../api/types';
import { EXPIRES_SOON_DAYS } from '../rules';
import { DAY_MS } from '../time/format';

/** A key may expire while its owner looks at it. */
export function statusAt(key: ApiKey, now: number): KeyStatus {
  return key.status === 'active' && Date.parse(key.expiresAt) <= now ? 'expired' : key.status;
}

export function expiresSoon(key: ApiKey, now: number): boolean {
  return statusAt(key, now) === 'active' && Date.parse(key.expiresAt) - now < EXPIRES_SOON_DAYS * DAY_MS;
}

export function lifetimeDays(key: ApiKey): number {
  return Math.round((Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / DAY_MS);
}

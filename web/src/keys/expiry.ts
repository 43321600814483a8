import type { ApiKey } from '../api/types';
import { EXPIRES_SOON_DAYS } from '../rules';
import { DAY_MS } from '../time/format';
import { endOf, statusAt } from './status';

export function endsSoon(key: ApiKey, now: number): boolean {
  return statusAt(key, now) === 'active' && Date.parse(endOf(key)) - now < EXPIRES_SOON_DAYS * DAY_MS;
}

export function lifetimeDays(key: ApiKey): number {
  return Math.round((Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / DAY_MS);
}

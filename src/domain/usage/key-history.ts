import type { UtcDay } from './utc-day.js';

/** What a key did is kept so long: its addresses, its networks, and its counts. */
export const USAGE_KEPT_DAYS = 90;
/** The last addresses that a key was granted from are shown, and kept. */
export const ADDRESSES_KEPT = 5;

/** An address that a key was granted from. */
export interface AddressUse {
  readonly clientIp: string;
  /** The name of the service that asked last for a request from there; null where one without an identity did. */
  readonly service: string | null;
  /** Since when it is among the last addresses. */
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** How often a key was granted and refused on a day. Refused are requests with its right secret, whatever the reason. */
export interface DayCount {
  readonly day: UtcDay;
  readonly granted: number;
  readonly refused: number;
}

/** What a key did. */
export interface KeyHistory {
  /** The last addresses, newest first. */
  readonly uses: readonly AddressUse[];
  /** Oldest first; a day without a request is left out. */
  readonly days: readonly DayCount[];
}

/** The first day that is still told of on `today`. */
export function firstKeptDay(today: UtcDay): UtcDay {
  return today - USAGE_KEPT_DAYS + 1;
}

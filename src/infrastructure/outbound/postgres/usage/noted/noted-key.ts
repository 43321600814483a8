import type { DayCount } from '../../../../../domain/usage/key-history.js';
import { utcDay, type UtcDay } from '../../../../../domain/usage/utc-day.js';
import { type NotedAddress, NotedAddresses } from './noted-addresses.js';

/** What one key did since that was written last. */
export interface NotedUse {
  readonly keyId: string;
  /** Of the last grant, if there was one. */
  readonly lastMs: number | undefined;
  readonly days: readonly DayCount[];
  readonly addresses: readonly NotedAddress[];
}

interface Count {
  readonly day: UtcDay;
  granted: number;
  refused: number;
}

/** Shared by all, like that of NotedAddresses. */
const NONE: Count[] = [];

/**
 * Collects what one key does. What is noted again and again is a number that is changed in place: an object would be garbage
 * of every request, and outlive it.
 */
export class NotedKey {
  /** Whether anything was noted since the last time that it was taken. */
  hasNews = false;
  /** Whether it was ever granted. */
  isUsed = false;
  /** The second in which it is looked at, by the clock of NotedUsage. */
  dueAt = 0;
  private lastMs = 0;
  private days: Count[] = NONE;
  private readonly addresses = new NotedAddresses();

  constructor(readonly keyId: string) {}

  noteGrant(clientIp: string | null, service: string | null, at: Date): void {
    const atMs = at.getTime();
    this.hasNews = true;
    this.isUsed = true;
    this.countOf(utcDay(at)).granted += 1;
    if (atMs > this.lastMs) this.lastMs = atMs;
    if (clientIp !== null) this.addresses.note(clientIp, service, atMs, atMs);
  }

  noteRefusal(at: Date): void {
    this.hasNews = true;
    this.countOf(utcDay(at)).refused += 1;
  }

  /** Takes back what was taken. */
  add({ lastMs = 0, days, addresses }: NotedUse): void {
    this.hasNews = true;
    if (lastMs > this.lastMs) this.lastMs = lastMs;
    for (const { day, granted, refused } of days) {
      const count = this.countOf(day);
      count.granted += granted;
      count.refused += refused;
    }
    for (const { clientIp, service, firstMs, lastMs: last } of addresses) {
      this.addresses.note(clientIp, service, firstMs, last);
    }
  }

  /** What was noted since the last time: nothing, or one. */
  take(): NotedUse[] {
    if (!this.hasNews) return [];
    const { keyId, lastMs, days } = this;
    this.hasNews = false;
    this.lastMs = 0;
    this.days = NONE;
    return [{ keyId, lastMs: lastMs || undefined, days, addresses: this.addresses.take() }];
  }

  /** The last one, but for two readings that come at midnight, and what could not be written for a day. */
  private countOf(day: UtcDay): Count {
    for (let at = this.days.length - 1; at >= 0; at -= 1) if (this.days[at]!.day === day) return this.days[at]!;
    const count = { day, granted: 0, refused: 0 };
    if (this.days === NONE) this.days = [count];
    else this.days.push(count);
    return count;
  }
}

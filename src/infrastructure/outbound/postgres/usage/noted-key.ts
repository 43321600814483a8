import type { DeniedUse } from '#application/validation-ports.js';
import {
  ADDRESSES_KEPT,
  type DayCount,
  type PermissionUse,
  PermissionUses,
  UNKNOWN_PERMISSION,
} from '#domain/usage/key-history.js';
import { utcDay, type UtcDay } from '#domain/time.js';
import { type NotedAddress, NotedAddresses } from './noted-addresses.js';

/** What one key did since the last write. */
export interface NotedUse {
  readonly keyId: string;
  /** The time of the last grant, if there was one. */
  readonly lastMs: number | undefined;
  readonly days: readonly DayCount[];
  readonly addresses: readonly NotedAddress[];
  readonly denials: readonly NotedDenial[];
  readonly permissions: readonly PermissionUse[];
}

/** The last denied request from one address since the last write. */
export interface NotedDenial extends DeniedUse {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Shared by all keys to save memory. */
const NO_DENIALS: readonly NotedDenial[] = [];

/** Changed in place, like everything that changes with each request: a new object would become garbage. */
type Counts = { -readonly [Field in keyof DayCount]: DayCount[Field] };
const NO_DAYS: readonly Counts[] = [];

/** Collects what one key does. */
export class NotedKey {
  /** Whether anything was noted since the last `take()`. */
  hasNews = false;
  /** Whether that contains what could not be written. */
  isLate = false;
  /** Whether a request with the key was ever granted. */
  isUsed = false;
  /** The second in which the key is looked at, by the clock of NotedUsage. */
  dueAt = 0;
  /** The time of the last grant; 0 when there was none. */
  private lastMs = 0;
  private days = NO_DAYS;
  private readonly addresses = new NotedAddresses();
  private denials = NO_DENIALS;
  private readonly permissions: PermissionUses;

  /** @param room for the permissions of all keys */
  constructor(
    readonly keyId: string,
    room?: { left: number },
  ) {
    this.permissions = new PermissionUses(room);
  }

  noteGrant(clientIp: string | null, service: string | null, at: Date, used = UNKNOWN_PERMISSION, count = 1): void {
    const atMs = at.getTime();
    const day = utcDay(at);
    this.hasNews = true;
    this.isUsed = true;
    this.countsOf(day).granted += count;
    this.permissions.note(used, day, day, count);
    if (atMs > this.lastMs) this.lastMs = atMs;
    if (clientIp !== null) this.addresses.note(clientIp, service, atMs, atMs);
  }

  noteDenial(at: Date, denied?: DeniedUse): void {
    this.hasNews = true;
    this.countsOf(utcDay(at)).refused += 1;
    const atMs = at.getTime();
    if (denied) this.denials = withDenial(this.denials, { ...denied, firstMs: atMs, lastMs: atMs });
  }

  /** Adds what was taken earlier and could not be written. */
  add({ lastMs = 0, days, addresses, denials, permissions }: NotedUse): void {
    this.hasNews = true;
    this.isLate = true;
    if (lastMs > this.lastMs) this.lastMs = lastMs;
    for (const { day, granted, refused } of days) {
      const counts = this.countsOf(day);
      counts.granted += granted;
      counts.refused += refused;
    }
    for (const { clientIp, service, firstMs, lastMs: last } of addresses) {
      this.addresses.note(clientIp, service, firstMs, last);
    }
    for (const denial of denials) this.denials = withDenial(this.denials, denial);
    for (const { used, firstDay, lastDay, count } of permissions) this.permissions.note(used, firstDay, lastDay, count);
  }

  /** What was noted since the last `take()`: an empty array or a single entry. */
  take(): NotedUse[] {
    if (!this.hasNews) return [];
    const { keyId, lastMs, days, denials } = this;
    this.hasNews = false;
    this.isLate = false;
    this.lastMs = 0;
    this.days = NO_DAYS;
    this.denials = NO_DENIALS;
    const [addresses, permissions] = [this.addresses.take(), this.permissions.take()];
    return [{ keyId, lastMs: lastMs || undefined, days, addresses, denials, permissions }];
  }

  private countsOf(day: UtcDay): Counts {
    for (const counts of this.days) if (counts.day === day) return counts;
    const counts = { day, granted: 0, refused: 0 };
    this.days = [...this.days, counts];
    return counts;
  }
}

/** Keeps the last denial of each address, and the addresses that were denied last. */
export function withDenial(denials: readonly NotedDenial[], added: NotedDenial): NotedDenial[] {
  const known = denials.find(({ clientIp }) => clientIp === added.clientIp);
  const last = known && known.lastMs > added.lastMs ? known : added;
  const firstMs = Math.min(added.firstMs, known?.firstMs ?? added.firstMs);
  return [...denials.filter((each) => each !== known), { ...last, firstMs }].slice(-ADDRESSES_KEPT);
}

import type { DeniedUse } from '#application/ports.js';
import { ADDRESSES_KEPT, type DayCount } from '#domain/usage/key-history.js';
import { utcDay, type UtcDay } from '#domain/time.js';
import { type PermissionUse, PermissionUses, UNKNOWN_PERMISSION } from '#domain/usage/permission-use.js';
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

const NO_DAY: UtcDay = -1;

/**
 * Collects what one key does. Values that change with every request are numbers that change in place: a new object would
 * become garbage, and with many keys, reading one more object costs as much as everything else here.
 */
export class NotedKey {
  /** Whether anything was noted since the last `take()`. */
  hasNews = false;
  /** Whether a request with the key was ever granted. */
  isUsed = false;
  /** The day that `granted` and `refused` count. */
  private day: UtcDay = NO_DAY;
  private granted = 0;
  /** The current run of grants from one address through one service. */
  private clientIp: string | null = null;
  private service: string | null = null;
  private lastMs = 0;
  private firstMs = 0;
  /** The time of the last grant before that run, if there was one. */
  private lastBeforeMs = 0;
  private refused = 0;
  /** Counts of other days: when readings around midnight alternate, or when a day could not be written. */
  private otherDays: readonly DayCount[] = [];
  private readonly addresses = new NotedAddresses();
  private denials = NO_DENIALS;
  /** The second in which the key is looked at, by the clock of NotedUsage. */
  dueAt = 0;

  private readonly permissions: PermissionUses;

  /** @param room for the permissions of all keys */
  constructor(
    readonly keyId: string,
    room?: { left: number },
  ) {
    this.permissions = new PermissionUses(room);
  }

  noteGrant(clientIp: string | null, service: string | null, at: Date, count = 1, used = UNKNOWN_PERMISSION): void {
    const atMs = at.getTime();
    this.hasNews = true;
    this.isUsed = true;
    this.turnTo(utcDay(at));
    this.granted += count;
    this.permissions.note(used, this.day, this.day, count);
    if (clientIp !== this.clientIp || service !== this.service || this.lastMs === 0)
      this.moveTo(clientIp, service, atMs);
    else if (atMs > this.lastMs) this.lastMs = atMs;
    else if (atMs < this.lastMs && atMs < this.firstMs) this.firstMs = atMs;
  }

  noteDenial(at: Date, denied?: DeniedUse): void {
    this.hasNews = true;
    this.turnTo(utcDay(at));
    this.refused += 1;
    const atMs = at.getTime();
    if (denied) this.denials = withDenial(this.denials, { ...denied, firstMs: atMs, lastMs: atMs });
  }

  /** Adds what was taken earlier and could not be written. */
  add({ lastMs = 0, days, addresses, denials, permissions }: NotedUse): void {
    this.hasNews = true;
    if (lastMs > this.lastBeforeMs) this.lastBeforeMs = lastMs;
    for (const { day, granted, refused } of days) {
      this.turnTo(day);
      this.granted += granted;
      this.refused += refused;
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
    this.hasNews = false;
    this.moveTo(null, null, 0);
    this.turnTo(NO_DAY);
    const { keyId, lastBeforeMs, otherDays: days, denials } = this;
    this.lastBeforeMs = 0;
    this.otherDays = [];
    this.denials = NO_DENIALS;
    const [addresses, permissions] = [this.addresses.take(), this.permissions.take()];
    return [{ keyId, lastMs: lastBeforeMs || undefined, days, addresses, denials, permissions }];
  }

  private moveTo(clientIp: string | null, service: string | null, atMs: number): void {
    if (this.clientIp !== null) this.addresses.note(this.clientIp, this.service, this.firstMs, this.lastMs);
    if (this.lastMs > this.lastBeforeMs) this.lastBeforeMs = this.lastMs;
    this.clientIp = clientIp;
    this.service = service;
    this.firstMs = atMs;
    this.lastMs = atMs;
  }

  private turnTo(day: UtcDay): void {
    if (day === this.day) return;
    const { otherDays, granted, refused } = this;
    const counted = otherDays.find((other) => other.day === day);
    const others = otherDays.filter((other) => other !== counted);
    this.otherDays = granted + refused > 0 ? [...others, { day: this.day, granted, refused }] : others;
    this.day = day;
    this.granted = counted?.granted ?? 0;
    this.refused = counted?.refused ?? 0;
  }
}

/** Keeps the last denial of each address, and the addresses that were denied last. */
export function withDenial(denials: readonly NotedDenial[], added: NotedDenial): NotedDenial[] {
  const known = denials.find(({ clientIp }) => clientIp === added.clientIp);
  const last = known && known.lastMs > added.lastMs ? known : added;
  const firstMs = Math.min(added.firstMs, known?.firstMs ?? added.firstMs);
  return [...denials.filter((each) => each !== known), { ...last, firstMs }].slice(-ADDRESSES_KEPT);
}

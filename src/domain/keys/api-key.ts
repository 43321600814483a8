import { Refusal } from '../errors.js';
import { normalizeName } from '../names.js';
import { KEY_FIELDS, normalizeKeyNote, RENAMING_FIELDS, requireValid, ROTATION_FIELDS } from './key-rules.js';
import {
  PAUSE_OF,
  pauseEnd,
  type PausedBy,
  wasPaused,
  type ApiKeyStatus,
  dueEnd,
  endGiven,
  type EndStatus,
  statusAt,
} from './key-status.js';
import { pausedDigest, restrictionsOf, storedDigest } from './key-restrictions.js';
import {
  type ApiKeyState,
  type ChangingKeyState,
  type ImportOrder,
  type KeyLabel,
  type KeyOrder,
  type Renaming,
  type RotationOrder,
  UNTOUCHED,
} from './key-state.js';
import { importedPart } from './imported-key.js';
import { type KeyProof, type KeyString, maskKey } from './key-string.js';
import { SHORT_GRACE_SECONDS } from './lease.js';
import { narrowed } from './narrowing.js';
import { DAY_MS } from '../time.js';

export class ApiKey {
  private leasesEnd = false;

  private constructor(private state: ApiKeyState) {}

  static issue(order: KeyOrder, keyString: KeyString, now: Date): ApiKey {
    requireValid(KEY_FIELDS, order);
    const proof = { publicPart: keyString.publicPart, digest: keyString.digest() };
    return ApiKey.made(order, proof, {
      createdBy: order.createdBy === order.ownerId ? null : (order.createdBy ?? null),
      note: normalizeKeyNote(order.note ?? ''),
      keyPrefix: keyString.prefix,
      createdAt: now,
      expiresAt: new Date(now.getTime() + order.expiresInDays * DAY_MS),
    });
  }

  /** The holder keeps using the string that another system gave out. @param marker of the keys made here */
  static import(order: ImportOrder, marker: string, now: Date): ApiKey {
    const { displayPrefix, expiresAt } = order;
    const facts = { note: null, keyPrefix: marker, displayPrefix, createdAt: now, expiresAt };
    return ApiKey.made(order, { publicPart: importedPart(order.sha256), digest: order.sha256 }, facts);
  }

  private static made(
    order: Omit<ImportOrder, 'sha256' | 'displayPrefix' | 'expiresAt'>,
    { publicPart, digest: presented }: KeyProof,
    facts: Pick<ApiKeyState, 'note' | 'keyPrefix' | 'createdAt' | 'expiresAt'> & Partial<ApiKeyState>,
  ): ApiKey {
    const { id, ownerId, name, access } = order;
    const restrictions = restrictionsOf(order);
    const digest = storedDigest(presented, restrictions);
    return new ApiKey({
      ...UNTOUCHED,
      ...restrictions,
      ...{ id, ownerId, name: normalizeName(name), access, publicPart, digest },
      ...facts,
    });
  }

  static restore(state: ApiKeyState): ApiKey {
    return new ApiKey(state);
  }

  get id(): string {
    return this.state.id;
  }
  get ownerId(): string {
    return this.state.ownerId;
  }
  get createdBy(): string {
    return this.state.createdBy ?? this.state.ownerId;
  }
  get isImported(): boolean {
    return this.state.displayPrefix !== null;
  }
  /** What lists show of it: `lk_4f9a01c2d3e4…`. */
  get shown(): string {
    const { displayPrefix, keyPrefix, publicPart } = this.state;
    return displayPrefix === null ? maskKey(keyPrefix, publicPart) : `${displayPrefix}…`;
  }
  get replaces(): string | null {
    return this.state.replaces;
  }
  /** Whether leases from before must not be used any more. False for an end by the clock, which no lease outlasts. */
  get endsLeases(): boolean {
    return this.leasesEnd;
  }

  snapshot(): ApiKeyState {
    return this.state;
  }

  status(now: Date): ApiKeyStatus {
    return statusAt(now, this.state);
  }

  /** A due end must be recorded before it is shown. */
  isEndDue(now: Date): boolean {
    return dueEnd(now, this.state) !== undefined;
  }

  /** A key that has ended can be renamed too. Returns what it was called before; undefined when nothing changes. */
  rename({ name, note }: Renaming): KeyLabel | undefined {
    requireValid(RENAMING_FIELDS, { name, note });
    const { name: oldName, note: oldNote } = this.state;
    const newName = name === undefined ? oldName : normalizeName(name);
    const newNote = note === undefined ? oldNote : normalizeKeyNote(note);
    if (newName === oldName && newNote === oldNote) return undefined;
    this.change({ name: newName, note: newNote });
    return { name: oldName, note: oldNote };
  }

  revoke(now: Date): void {
    this.requireActive(now);
    this.change({ revokedAt: now });
    this.leasesEnd = true;
  }

  /** Until then, or until it is resumed. A running pause only gets longer. Returns whether it changed. */
  pause(by: PausedBy, until: Date, now: Date): boolean {
    this.requireActive(now);
    const running = this.state[PAUSE_OF[by]];
    if (running && running >= until) return false;
    const digest = wasPaused(this.state) ? this.state.digest : pausedDigest(this.state.digest);
    this.change({ [PAUSE_OF[by]]: until, digest });
    this.leasesEnd = true;
    return true;
  }

  /** Ends this pause. The other one stays. Returns whether it was running. */
  resume(by: PausedBy, now: Date): boolean {
    this.requireActive(now);
    const running = this.state[PAUSE_OF[by]];
    if (!running || running <= now) return false;
    this.change({ [PAUSE_OF[by]]: now });
    return true;
  }

  /** When the key works again. Null while it is not paused. */
  pausedUntil(now: Date): Date | null {
    return this.status(now) === 'active' ? pauseEnd(this.state, now) : null;
  }

  /** Ends the key if its time has come and the end is not recorded yet. Returns the end, which must then be saved. */
  endIfDue(now: Date): EndStatus | undefined {
    const end = dueEnd(now, this.state);
    if (end === 'expired') this.change({ expiredAt: now });
    if (end === 'revoked') this.change({ revokedAt: this.state.endsAt });
    return end;
  }

  /** Returns a successor with the same choices, or narrower ones. This key keeps working until the successor has been used. */
  replaceBy(order: RotationOrder, keyString: KeyString, now: Date): ApiKey {
    this.requireActive(now);
    requireValid(ROTATION_FIELDS, order);
    const { id, createdBy, graceSeconds, policy } = order;
    const { ownerId, name, note, createdAt, expiresAt } = this.state;
    // An imported key may have less than a day left.
    const ownDays = Math.max(1, Math.round((expiresAt.getTime() - createdAt.getTime()) / DAY_MS));
    const expiresInDays = order.expiresInDays ?? Math.min(ownDays, policy.maxKeyDays);
    const narrow = narrowed(this.state, order);
    const issued = ApiKey.issue({ id, ownerId, createdBy, name, expiresInDays, ...narrow }, keyString, now);
    const successor = new ApiKey({ ...issued.state, note, replaces: this.id, graceSeconds });
    this.change({ replacedBy: id });
    this.leasesEnd ||= graceSeconds < SHORT_GRACE_SECONDS;
    return successor;
  }

  /** Returns for how many seconds the old key keeps working, or undefined if this is not a successor's first use. */
  firstUsed(now: Date): number | undefined {
    const { graceSeconds, firstUsedAt } = this.state;
    if (graceSeconds === null || firstUsedAt) return undefined;
    this.change({ firstUsedAt: now });
    return graceSeconds;
  }

  /** For the old key once its successor is in use: it ends after the grace period, unless it ends earlier. */
  endAfter(graceSeconds: number, now: Date): void {
    this.requireActive(now);
    if (graceSeconds === 0) return this.change({ revokedAt: now });
    const { expiresAt, endsAt } = this.state;
    this.change({ priorEndsAt: endsAt, endsAt: endGiven(endsAt ?? expiresAt, now, graceSeconds) });
  }

  /** Removes the end that the successor gave the key. The end that stood before its first use is restored. */
  cancelRotation(successor: ApiKey, now: Date): void {
    this.requireActive(now);
    const { endsAt, priorEndsAt } = this.state;
    this.change({ replacedBy: null, endsAt: successor.state.firstUsedAt ? priorEndsAt : endsAt });
  }

  private change(changed: Partial<ChangingKeyState>): void {
    this.state = { ...this.state, ...changed };
  }

  private requireActive(now: Date): void {
    const status = this.status(now);
    if (status !== 'active') throw keyNotActive(status);
  }
}

export function keyNotActive(status: ApiKeyStatus): Refusal {
  return new Refusal('api_key_not_active', `This API key is already ${status}`, { apiKeyStatus: status });
}

import { Any, Check, Column, Entity, type EntityManager, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { TIME, TIME_OR_NULL } from '../client/columns.js';
import { ACCESS_LEVELS, type AccessLevel } from '#domain/accounts/access-level.js';
import type { DueNoticeType } from '#domain/notices/key-notice.js';
import { ApiKey } from '#domain/keys/api-key.js';
import type { ChangingKeyState } from '#domain/keys/key-state.js';
import { AccountRow } from '../accounts/account-rows.js';

@Entity('api_keys')
@Check('api_keys_access', `access IN ('${ACCESS_LEVELS.join("', '")}')`)
@Check('api_keys_digest', 'octet_length(digest) = 32')
@Check('api_keys_ended_once', 'revoked_at IS NULL OR expired_at IS NULL')
export class ApiKeyRow {
  @PrimaryColumn('uuid') id!: string;
  @Column('varchar', { length: 128 }) ownerId!: string;
  @ManyToOne(() => AccountRow, { nullable: false })
  @JoinColumn({ name: 'owner_id' })
  owner?: AccountRow;
  /** The manager who made the key of a service account; null for the owner. */
  @Column('varchar', { length: 128, nullable: true }) createdBy!: string | null;
  @Column('text') name!: string;
  @Column('varchar', { length: 14 }) access!: AccessLevel;
  @Column('varchar', { length: 16 }) keyPrefix!: string;
  @Column('char', { length: 24 }) publicPart!: string;
  /** Of an imported key, what lists show of it; null for a key that was made here. */
  @Column({ type: 'varchar', length: 16, nullable: true, collation: 'C' }) displayPrefix!: string | null;
  @Column('bytea') digest!: Buffer;
  @Column(TIME) createdAt!: Date;
  @Column(TIME) expiresAt!: Date;
  @Column(TIME_OR_NULL) revokedAt!: Date | null;
  @Column(TIME_OR_NULL) expiredAt!: Date | null;
  @Column(TIME_OR_NULL) endsAt!: Date | null;
  @Column('uuid', { nullable: true }) replaces!: string | null;
  @Column('uuid', { nullable: true }) replacedBy!: string | null;
  @Column(TIME_OR_NULL) priorEndsAt!: Date | null;
  @Column('integer', { nullable: true }) graceSeconds!: number | null;
  @Column(TIME_OR_NULL) firstUsedAt!: Date | null;
  @Column(TIME_OR_NULL) pausedUntil!: Date | null;
  @Column(TIME_OR_NULL) adminPausedUntil!: Date | null;
  /** Since when its uses are recorded by permission. The database sets it. */
  @Column({ ...TIME, default: () => 'now()', select: false, insert: false, update: false }) permissionsSince?: Date;
  /** Marks of what needed attention and was handled. A change of the key does not touch them. */
  @Column({ type: 'text', array: true, nullable: true, select: false, insert: false, update: false }) handled?:
    | string[]
    | null;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('text', { array: true, nullable: true }) permissions!: readonly string[] | null;
  @Column('text', { array: true, nullable: true }) allowedNetworks!: readonly string[] | null;
  @Column('varchar', { length: 255, nullable: true }) idempotencyKey!: string | null;
  /** Whether the owner's account was purged. A new account with the same id must not see the key. */
  @Column('boolean', { default: false }) purged!: boolean;
  /**
   * Whether the first of the two checks before its end found the key idle, or that by which it is being replaced: then a
   * validation records its use before it answers. Null otherwise, so that it costs a validation almost nothing.
   */
  @Column('boolean', { nullable: true }) foundIdle!: true | null;
}

/** The notice that a key ends unless it is used, until that or its end. Separate for the same reason as KeyNoticeRow. */
@Entity('idle_notices')
export class IdleNoticeRow {
  @PrimaryColumn('uuid') keyId!: string;
  @Column(TIME) writtenAt!: Date;
  /** When the first of the two checks before the end found the key idle. */
  @Column(TIME_OR_NULL) foundIdleAt!: Date | null;
}

/**
 * The last notice of each type that became due with time. Separate from api_keys, so that it does not change what a
 * validation reads.
 */
@Entity('key_notices')
export class KeyNoticeRow {
  @PrimaryColumn('uuid') keyId!: string;
  @PrimaryColumn('varchar', { length: 40 }) type!: DueNoticeType;
  /** How many days before or after the key's date the notice became due. */
  @Column('smallint') days!: number;
}

/** Each column is a field of the key's state with the same name. The compiler reports a missing one. */
export function toApiKey({
  idempotencyKey: _idempotencyKey,
  purged: _purged,
  foundIdle: _foundIdle,
  owner: _owner,
  ...state
}: ApiKeyRow): ApiKey {
  return ApiKey.restore(state);
}

/** The existing ones, also of purged owners. */
export async function keysBy(manager: EntityManager, field: 'id' | 'publicPart', values: readonly string[]) {
  return (await manager.findBy(ApiKeyRow, { [field]: Any(values) })).map(toApiKey);
}

/** What every change of a key saves. The compiler reports a field that is missing here. */
export function changingColumns(key: ApiKey): ChangingKeyState {
  const { name, note, digest, revokedAt, expiredAt, endsAt, ...rest } = key.snapshot();
  const { replacedBy, priorEndsAt, firstUsedAt, pausedUntil, adminPausedUntil } = rest;
  const ends = { revokedAt, expiredAt, endsAt, pausedUntil, adminPausedUntil };
  return { name, note, digest, ...ends, replacedBy, priorEndsAt, firstUsedAt };
}

export function fromApiKey(key: ApiKey, idempotencyKey: string | null): ApiKeyRow {
  return { ...key.snapshot(), idempotencyKey, purged: false, foundIdle: null };
}

import { ApiProperty } from '@nestjs/swagger';
import { CONFIRMATION_KINDS, type ConfirmationKind } from '../../../../application/sessions/confirmation.js';
import type { RotatedApiKey } from '../../../../application/keys/rotate-api-key.js';
import type { Session } from '../../../../application/ports.js';
import type { KeyList, ListedKey } from '../../../../application/lists.js';
import { ACCESS_LEVELS } from '../../../../domain/keys/access.js';
import { API_KEY_STATUSES } from '../../../../domain/keys/key-status.js';
import { MAX_ACTIVE_KEYS } from '../../../../domain/keys/key-rules.js';
import { maskKey } from '../../../../domain/keys/key-string.js';

/** Answers are built field by field, so that a new column or property never leaks by itself. */

const TIME = { type: String, format: 'date-time' } as const;
const TIME_OR_NULL = { ...TIME, nullable: true } as const;
const ID_OR_NULL = { type: String, format: 'uuid', nullable: true } as const;
const TEXT_OR_NULL = { type: String, nullable: true } as const;

const GRACE = 'Of a key that replaces another: for how long that one goes on after the first use of this one';

export class SessionView {
  @ApiProperty() ownerId: string;
  @ApiProperty() email: string;
  @ApiProperty() displayName: string;
  @ApiProperty(TIME) expiresAt: string;
  @ApiProperty({ enum: CONFIRMATION_KINDS, description: 'What confirms the creation of a key' }) confirmation: string;

  constructor({ account, expiresAt }: Session, confirmation: ConfirmationKind) {
    this.ownerId = account.id;
    this.email = account.email;
    this.displayName = account.displayName;
    this.expiresAt = expiresAt.toISOString();
    this.confirmation = confirmation;
  }
}

export class ApiKeyView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: ACCESS_LEVELS }) access: string;
  @ApiProperty({ description: 'The beginning of the key string, to recognise it by' }) prefix: string;
  @ApiProperty(TIME) createdAt: string;
  @ApiProperty(TIME_OR_NULL) lastUsedAt: string | null;
  @ApiProperty(TIME) expiresAt: string;
  @ApiProperty(TIME_OR_NULL) revokedAt: string | null;
  @ApiProperty({ enum: API_KEY_STATUSES }) status: string;
  @ApiProperty({ ...ID_OR_NULL, description: 'The key that this one is to replace' }) replaces: string | null;
  @ApiProperty({ ...ID_OR_NULL, description: 'The key that is to replace this one' }) replacedBy: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'When the key ends because its successor is in use' })
  endsAt: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: GRACE }) graceSeconds: number | null;

  constructor({ key, lastUsedAt }: ListedKey, now: Date) {
    const state = key.snapshot();
    this.id = state.id;
    this.name = state.name;
    this.access = state.access;
    this.prefix = maskKey(state.keyPrefix, state.publicPart);
    this.createdAt = state.createdAt.toISOString();
    this.lastUsedAt = lastUsedAt?.toISOString() ?? null;
    this.expiresAt = state.expiresAt.toISOString();
    this.revokedAt = state.revokedAt?.toISOString() ?? null;
    this.status = key.status(now);
    this.replaces = state.replaces;
    this.replacedBy = state.replacedBy;
    this.endsAt = state.endsAt?.toISOString() ?? null;
    this.graceSeconds = state.graceSeconds;
  }
}

export class ApiKeyListView {
  @ApiProperty({ type: [ApiKeyView] }) items: ApiKeyView[];
  @ApiProperty({ type: 'integer' }) activeKeys: number;
  @ApiProperty({ type: 'integer' }) maxActiveKeys: number;
  @ApiProperty(TEXT_OR_NULL) nextCursor: string | null;

  constructor({ items, activeKeys, nextCursor, now }: KeyList) {
    this.items = items.map((listed) => new ApiKeyView(listed, now));
    this.activeKeys = activeKeys;
    this.maxActiveKeys = MAX_ACTIVE_KEYS;
    this.nextCursor = nextCursor;
  }
}

export class CreatedApiKeyView {
  @ApiProperty({ type: ApiKeyView }) apiKey: ApiKeyView;
  @ApiProperty({ description: 'The whole key string; this is the only time it is shown' }) fullKey: string;

  constructor(apiKey: ApiKeyView, fullKey: string) {
    this.apiKey = apiKey;
    this.fullKey = fullKey;
  }
}

export class RotatedApiKeyView {
  @ApiProperty({ type: ApiKeyView, description: 'The new key' }) apiKey: ApiKeyView;
  @ApiProperty({ type: ApiKeyView, description: 'The key that it is to replace' }) replaced: ApiKeyView;
  @ApiProperty({ description: 'The whole key string of the new key; this is the only time it is shown' })
  fullKey: string;

  constructor({ key, replaced, fullKey, now }: RotatedApiKey) {
    this.apiKey = new ApiKeyView({ key, lastUsedAt: null }, now);
    this.replaced = new ApiKeyView(replaced, now);
    this.fullKey = fullKey;
  }
}

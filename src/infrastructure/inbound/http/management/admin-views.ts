import { ApiProperty } from '@nestjs/swagger';
import type { ChangedKey } from '#application/administration/administrators.js';
import type { ViewedKey } from '#application/administration/view-keys.js';
import type { AuditedEvent, RecordedEvent } from '#domain/audit/audit-event.js';
import { ownedKeyView, ownerView } from '../../shared/key-view.js';
import { eventView, keyHistoryView } from './answers.js';
import {
  ApiKeyHistoryView,
  ApiKeyView,
  AuditEventView,
  ManagedAccountView,
  PageView,
  PERSON_OR_NULL,
  type PersonView,
} from './views.js';

export class KeyOwnerView extends ManagedAccountView {
  @ApiProperty({ description: 'Empty where a service account has none' }) email!: string;
}

export class OwnedKeyView extends ApiKeyView {
  @ApiProperty({ type: KeyOwnerView }) owner!: KeyOwnerView;
}

export class OwnedKeyListView extends PageView {
  @ApiProperty({ type: [OwnedKeyView] }) items!: OwnedKeyView[];
}

export class AdminEventView extends AuditEventView {
  @ApiProperty({ type: String, nullable: true, description: 'Why an administrator revoked the key, if they said it' })
  note!: string | null;
}

const EVENTS = 'The newest 50 events of the key, newest first';

export class OwnedKeyHistoryView extends ApiKeyHistoryView {
  @ApiProperty({ type: KeyOwnerView }) owner!: KeyOwnerView;
  @ApiProperty({ type: [AdminEventView], description: EVENTS }) events!: AdminEventView[];
}

export class RevokedKeyView extends OwnedKeyView {
  @ApiProperty({ type: [AdminEventView], description: EVENTS }) events!: AdminEventView[];
}

class FailedRevocationView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ description: 'Such as `not_found` or `api_key_not_active`' }) code!: string;
}

export class RevokedKeysView {
  @ApiProperty({ format: 'uuid', isArray: true }) revoked!: string[];
  @ApiProperty({ type: [FailedRevocationView] }) failed!: FailedRevocationView[];
}

export class KeyOwnerListView {
  @ApiProperty({ type: [KeyOwnerView] }) items!: KeyOwnerView[];
}

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const VIEWED = {
  type: 'object',
  nullable: true,
  additionalProperties: { type: 'string', nullable: true },
  description: 'Of admin.viewed: the query, or the ids of the accounts that were found',
} as const;

export class AuditedEventView extends AdminEventView {
  @ApiProperty({ ...TEXT_OR_NULL, description: "An account's id, service:<name>, admin:<name>, or nobody's" })
  actorId!: string | null;
  @ApiProperty({ ...PERSON_OR_NULL, description: 'The account that the event is about' }) account!: PersonView | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'What the key is called now' }) keyName!: string | null;
  @ApiProperty(VIEWED) viewed!: Record<string, string | null> | null;
}

export class AuditedEventListView extends PageView {
  @ApiProperty({ type: [AuditedEventView] }) items!: AuditedEventView[];
}

export function ownedKeyHistoryView(viewed: ViewedKey): OwnedKeyHistoryView {
  return { ...keyHistoryView(viewed), owner: ownerView(viewed.owner), events: viewed.events.map(adminEventView) };
}

export function revokedKeyView(revoked: ChangedKey): RevokedKeyView {
  return { ...ownedKeyView(revoked), events: revoked.events.map(adminEventView) };
}

export function auditedEventView({ actorId, account, keyName, viewed, ...event }: AuditedEvent): AuditedEventView {
  const shown = account && { id: account.id, displayName: account.displayName };
  return { ...adminEventView(event), actorId, account: shown, keyName, viewed };
}

function adminEventView(event: RecordedEvent): AdminEventView {
  return { ...eventView(event), note: event.note };
}

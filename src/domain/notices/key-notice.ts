import type { LeakSite } from '../audit/event-details.js';
import type { ApiKey } from '../keys/api-key.js';
import type { KeyChange, RevocationReason } from '../keys/key-change.js';
import { PAUSE_OF } from '../keys/key-status.js';
import { withoutSecrets } from '../secrets.js';

export const NOTICE_TYPES = [
  'api_key.created',
  'api_key.rotated',
  'api_key.rotation_unused',
  'api_key.paused',
  'api_key.revoked',
  'api_key.expiring',
  'api_key.expired',
  'api_key.leaked',
  'api_key.used_from_new_network',
  'api_key.idle',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** Those that become due with time. Each has a rule in due-notices.ts, and a query that selects its candidates. */
export const DUE_NOTICE_TYPES = ['api_key.expiring', 'api_key.rotation_unused'] as const satisfies NoticeType[];
export type DueNoticeType = (typeof DUE_NOTICE_TYPES)[number];

/** Those about what is coming: their mails are sent only while that can still happen. */
export const COMING: ReadonlySet<NoticeType> = new Set<NoticeType>(['api_key.expiring', 'api_key.idle']);
/** Those whose mails are not sent any more once the key was used. */
export const UNTIL_USED: ReadonlySet<NoticeType> = new Set<NoticeType>(['api_key.idle']);

export interface KeyNotice {
  readonly type: NoticeType;
  readonly key: ApiKey;
  readonly reason?: RevocationReason;
  readonly replacesKeyId?: string;
  /** Only of an idle key: when it ends unless it is used. */
  readonly endsAt?: Date;
  readonly pausedUntil?: Date | null;
  readonly clientIp?: string | null;
  /** Only of the end of a leaked key. */
  readonly leak?: LeakSite | undefined;
}

/** The data that is sent. Only texts and numbers, and never a secret. */
export interface NoticeData {
  /** Counts up for each key, because notices can arrive out of order. */
  readonly sequence: number;
  readonly keyId: string;
  readonly ownerId: string;
  readonly name: string;
  /** The masked key that lists show. */
  readonly prefix: string;
  readonly reason?: RevocationReason;
  readonly expiresAt: string;
  /** When the key ends or ended because its successor is in use; of `api_key.idle`, when it ends unless it is used. */
  readonly endsAt?: string;
  readonly pausedUntil?: string;
  readonly replacesKeyId?: string;
  readonly clientIp?: string;
  /** Who found the leaked key and where, in the reporter's words. */
  readonly leak?: { readonly source?: string; readonly url?: string };
}

/** Lists the fields one by one, so that no other field of the key is sent. */
export function noticeData({ key, reason, leak, ...notice }: KeyNotice, sequence: number): NoticeData {
  const { id, ownerId, name, expiresAt, ...state } = key.snapshot();
  const endsAt = notice.endsAt ?? state.endsAt;
  const { source, url } = leak ?? {};
  return {
    sequence,
    keyId: id,
    ownerId,
    name,
    prefix: key.shown,
    ...(reason && { reason }),
    expiresAt: expiresAt.toISOString(),
    ...(endsAt && { endsAt: endsAt.toISOString() }),
    ...(notice.pausedUntil && { pausedUntil: notice.pausedUntil.toISOString() }),
    ...(notice.replacesKeyId && { replacesKeyId: notice.replacesKeyId }),
    ...(notice.clientIp && { clientIp: notice.clientIp }),
    ...((source || url) && {
      leak: { ...(source && { source: withoutSecrets(source) }), ...(url && { url: withoutSecrets(url) }) },
    }),
  };
}

/** The platform's webhook receiver, and mail to the owner. */
export const NOTICE_CHANNELS = ['webhook', 'mail'] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

export type NoticeReceivers = Readonly<Record<NoticeChannel, boolean>>;

export interface Delivery {
  readonly channel: NoticeChannel;
  /** The manager whom a mail goes to. Null for the owner, and for webhooks. */
  readonly recipient: string | null;
}

/** Owners get mail only where news matters to a person. Webhooks get every notice. */
const MAILED_TYPES = [
  'api_key.created',
  'api_key.expiring',
  'api_key.leaked',
  'api_key.used_from_new_network',
  'api_key.idle',
] as const satisfies NoticeType[];
export type MailedType = (typeof MAILED_TYPES)[number];

export function isMailed(type: NoticeType): type is MailedType {
  return MAILED_TYPES.some((mailed) => mailed === type);
}

export function channelsOf(type: NoticeType, receivers: NoticeReceivers): NoticeChannel[] {
  return NOTICE_CHANNELS.filter((channel) => receivers[channel] && (channel === 'webhook' || isMailed(type)));
}

/** One to the platform, and one mail to the owner and to each manager. */
export function deliveriesOf(
  type: NoticeType,
  receivers: NoticeReceivers,
  managers: readonly string[] = [],
): Delivery[] {
  return channelsOf(type, receivers).flatMap((channel) => {
    const recipients = channel === 'mail' ? [null, ...managers] : [null];
    return recipients.map((recipient) => ({ channel, recipient }));
  });
}

/** The notices of a change, in the order in which they are sent. A rotation is announced with the new key. */
export function noticesOfChange(change: KeyChange, clientIp: string | null, leak?: LeakSite): KeyNotice[] {
  const { key, became } = change;
  if (became === 'created') {
    const made = { key, clientIp, ...(key.replaces !== null && { replacesKeyId: key.replaces }) };
    const created = { type: 'api_key.created', ...made } as const;
    return key.replaces === null ? [created] : [created, { type: 'api_key.rotated', ...made }];
  }
  if (became === 'expired') return [{ type: 'api_key.expired', key }];
  if (became === 'paused') return [{ type: 'api_key.paused', key, pausedUntil: key.snapshot()[PAUSE_OF[change.by]] }];
  if (became !== 'revoked') return [];
  const { reason } = change;
  if (reason !== 'leaked') return [{ type: 'api_key.revoked', key, reason }];
  const found = leak && { leak };
  return [
    { type: 'api_key.revoked', key, reason, ...found },
    { type: 'api_key.leaked', key, ...found },
  ];
}

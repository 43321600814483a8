import type { NoticeType } from './key-notice.js';

/** The platform's webhook receiver, and mail to the owner. */
export const NOTICE_CHANNELS = ['webhook', 'mail'] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

/** Which channels have a receiver. */
export type NoticeReceivers = Readonly<Record<NoticeChannel, boolean>>;

/** Owners get mail only where news matters to a person. Webhooks get every notice. */
const MAILED: ReadonlySet<NoticeType> = new Set<NoticeType>([
  'api_key.created',
  'api_key.expiring',
  'api_key.leaked',
  'api_key.used_from_new_network',
]);

export function channelsOf(type: NoticeType, receivers: NoticeReceivers): NoticeChannel[] {
  return NOTICE_CHANNELS.filter((channel) => receivers[channel] && (channel === 'webhook' || MAILED.has(type)));
}

import type { NoticeType } from './key-notice.js';

/** The ways out: the platform's webhook receiver, and mail to the owner. */
export const NOTICE_CHANNELS = ['webhook', 'mail'] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

/** Which channels lead to somebody. */
export type NoticeReceivers = Readonly<Record<NoticeChannel, boolean>>;

/** What a person wants to know of while it is news; a platform wants to know of everything. */
const MAILED: ReadonlySet<NoticeType> = new Set<NoticeType>([
  'api_key.created',
  'api_key.expiring',
  'api_key.leaked',
  'api_key.used_from_new_network',
]);

export function channelsOf(type: NoticeType, receivers: NoticeReceivers): NoticeChannel[] {
  return NOTICE_CHANNELS.filter((channel) => receivers[channel] && (channel === 'webhook' || MAILED.has(type)));
}

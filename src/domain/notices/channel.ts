import type { NoticeType } from './key-notice.js';

/** The platform's webhook receiver, and mail to the owner. */
export const NOTICE_CHANNELS = ['webhook', 'mail'] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

/** Which channels have a receiver. */
export type NoticeReceivers = Readonly<Record<NoticeChannel, boolean>>;

/** One message of a notice. */
export interface Delivery {
  readonly channel: NoticeChannel;
  /** The manager whom a mail goes to. Null for the owner, and for webhooks. */
  readonly recipient: string | null;
}

/** Owners get mail only where news matters to a person. Webhooks get every notice. */
const MAILED: ReadonlySet<NoticeType> = new Set<NoticeType>([
  'api_key.created',
  'api_key.expiring',
  'api_key.leaked',
  'api_key.used_from_new_network',
  'api_key.idle',
]);

export function channelsOf(type: NoticeType, receivers: NoticeReceivers): NoticeChannel[] {
  return NOTICE_CHANNELS.filter((channel) => receivers[channel] && (channel === 'webhook' || MAILED.has(type)));
}

/**
 * The messages of a notice: one to the platform, and one mail to the owner and to each manager.
 * @param managers of the service account that owns the key
 */
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

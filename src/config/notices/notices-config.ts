import type { NoticeReceivers } from '../../domain/notices/channel.js';
import type { EnvReader } from '../env-reader.js';
import { readExpiryNoticeDays } from './expiry-notice-days.js';
import { type MailConfig, readMail } from './mail-config.js';
import { readNoticeReceivers } from './notice-receivers.js';
import { readWebhook, type WebhookConfig } from './webhook-config.js';

/** Who is told what happens to keys. */
export interface NoticesConfig {
  readonly noticeReceivers: NoticeReceivers;
  readonly webhook: WebhookConfig | undefined;
  /** How owners are sent mail. Undefined: not at all. */
  readonly mail: MailConfig | undefined;
  /** So many days before a key expires its owner is told. */
  readonly expiryNoticeDays: readonly number[];
}

export function readNotices(reader: EnvReader): NoticesConfig {
  return {
    noticeReceivers: readNoticeReceivers(reader),
    webhook: readWebhook(reader),
    mail: readMail(reader),
    expiryNoticeDays: readExpiryNoticeDays(reader),
  };
}

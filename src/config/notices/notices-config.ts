import type { NoticeReceivers } from '../../domain/notices/channel.js';
import { MAX_EXPIRY_DAYS } from '../../domain/keys/key-rules.js';
import type { EnvReader } from '../env-reader.js';
import { type MailConfig, readMail } from './mail-config.js';
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

/** Who is told, for the command line too, which tells and does not send: that a receiver is named is enough. */
export function readNoticeReceivers(reader: EnvReader): NoticeReceivers {
  return { webhook: reader.text('WEBHOOK_URL') !== undefined, mail: reader.text('SMTP_URL') !== undefined };
}

const DEFAULT_DAYS = [30, 7, 1];

/** So many days before the expiry of a key its owner is told. None where the variable is set, and empty. */
function readExpiryNoticeDays(reader: EnvReader): readonly number[] {
  if (reader.isSetEmpty('EXPIRY_NOTICE_DAYS')) return [];
  const days = reader.list('EXPIRY_NOTICE_DAYS', parseDays) ?? DEFAULT_DAYS;
  if (new Set(days).size < days.length) reader.wrong('EXPIRY_NOTICE_DAYS', 'must name no number of days twice');
  return days;
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= 1 && days < MAX_EXPIRY_DAYS) return days;
  throw new Error(`must be a whole number from 1 to ${MAX_EXPIRY_DAYS - 1}`);
}

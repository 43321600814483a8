import type { NoticeReceivers } from '../../domain/notices/key-notice.js';
import { MOST_KEY_DAYS } from '../../domain/accounts/account-limits.js';
import type { EnvReader } from '../env-reader.js';
import { type MailConfig, readMail } from './mail-config.js';
import { readWebhook, type WebhookConfig } from './webhook-config.js';

/** Who gets notices about keys. */
export interface NoticesConfig {
  readonly noticeReceivers: NoticeReceivers;
  readonly webhook: WebhookConfig | undefined;
  /** Undefined: owners get no mail. */
  readonly mail: MailConfig | undefined;
  /** How many days before a key expires its owner is notified. Empty: never. */
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

/** Which receivers are configured. Checks nothing else, for the command line, which writes notices but sends none. */
export function readNoticeReceivers(reader: EnvReader): NoticeReceivers {
  return { webhook: reader.text('WEBHOOK_URL') !== undefined, mail: reader.text('SMTP_URL') !== undefined };
}

const DEFAULT_DAYS = [30, 7, 1];

function readExpiryNoticeDays(reader: EnvReader): readonly number[] {
  if (reader.isSetEmpty('EXPIRY_NOTICE_DAYS')) return [];
  const days = reader.list('EXPIRY_NOTICE_DAYS', parseDays) ?? DEFAULT_DAYS;
  if (new Set(days).size < days.length) reader.wrong('EXPIRY_NOTICE_DAYS', 'must not contain a number twice');
  return days;
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= 1 && days < MOST_KEY_DAYS) return days;
  throw new Error(`must be a whole number from 1 to ${MOST_KEY_DAYS - 1}`);
}

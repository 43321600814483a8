import type { NoticeReceivers } from '../../domain/notices/channel.js';
import type { EnvReader } from '../env-reader.js';

/** Who is told, for the command line too, which tells and does not send: that a receiver is named is enough. */
export function readNoticeReceivers(reader: EnvReader): NoticeReceivers {
  return { webhook: reader.text('WEBHOOK_URL') !== undefined, mail: reader.text('SMTP_URL') !== undefined };
}

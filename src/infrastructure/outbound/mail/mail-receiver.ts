import type { Addressees } from '../../../application/notices/notify-owners.js';
import type { OutboxMessage } from '../../../application/notice-ports.js';
import type { NoticeReceiver } from '../../../application/ports.js';
import type { MailConfig } from '../../../config/mail-config.js';
import { writeLetter, letterText, typedText } from './letter.js';
import { letterHtml } from './letter-html.js';
import { Smtp } from './smtp.js';
import { isMailed } from './words.js';

/** Sends notices to the owner of a key by mail. */
export class MailReceiver implements NoticeReceiver {
  private readonly smtp: Smtp;

  constructor(
    private readonly mail: MailConfig,
    private readonly publicUrl: string,
    private readonly addressees: Addressees,
  ) {
    this.smtp = new Smtp(mail.smtp);
  }

  async deliver(message: OutboxMessage): Promise<void> {
    const addressee = await this.addressees.of(message);
    if (!addressee || !isMailed(message.type)) return;
    const letter = writeLetter(message.type, message, addressee, this.publicUrl);
    await this.smtp.send({
      from: this.mail.from,
      to: { name: typedText(addressee.account.displayName), address: addressee.account.email },
      // The same in each attempt, so that a mail program can recognize a duplicate.
      messageId: `<${message.id}@${this.mail.from.address.split('@').at(-1)}>`,
      subject: letter.subject,
      text: letterText(letter),
      html: letterHtml(letter),
    });
  }

  close(): void {
    this.smtp.close();
  }
}

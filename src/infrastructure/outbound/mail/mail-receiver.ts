import type { SendMailOptions, Transporter } from 'nodemailer';
import type { Addressees } from '#application/notices/notify-owners.js';
import type { OutboxMessage, NoticeReceiver } from '#application/notice-ports.js';
import type { MailConfig, SmtpConfig } from '#config/mail-config.js';
import { letterHtml, letterText, writeLetter } from './letter.js';
import { typedText } from './occasion.js';
import { isMailed } from '#domain/notices/key-notice.js';

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

  async deliver(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const addressee = await this.addressees.of(message);
    if (!addressee || !isMailed(message.type)) return;
    const letter = writeLetter(message.type, message, addressee, this.publicUrl);
    const mail = {
      from: this.mail.from,
      to: { name: typedText(addressee.account.displayName), address: addressee.account.email },
      // The same in each attempt, so that a mail program can recognize a duplicate.
      messageId: `<${message.id}@${this.mail.from.address.split('@').at(-1)}>`,
      subject: letter.subject,
      text: letterText(letter),
      html: letterHtml(letter),
    };
    await this.smtp.send(mail, signal);
  }
}

/** For connecting, for the server's greeting, and for any silence after that. */
const STEP_MS = 10_000;
const LONGEST_ANSWER = 64 * 1024;
const LONGEST_REASON = 300;

/** Sends each mail over a connection of its own, and throws with the reason when that fails. */
export class Smtp {
  private transport: Promise<Transporter> | undefined;

  constructor(
    private readonly config: SmtpConfig,
    private readonly stepMs = STEP_MS,
  ) {}

  /** Throws what the server or the network reported, without the password and without the recipient's address. */
  async send(
    mail: SendMailOptions & { readonly to: { readonly address: string } },
    signal: AbortSignal,
  ): Promise<void> {
    const transport = await (this.transport ??= this.open());
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const failure = await transport.sendMail({ ...mail, headers, xMailer: false, signal }).then(
      () => undefined,
      (error: Error) => error,
    );
    if (failure === undefined) return;
    const oneLine = this.withoutSecrets(failure.message, mail.to.address).replace(/\p{Cc}+/gu, ' ');
    // Has no cause, because the log would print the cause unmasked. Short, because a server may send a whole page.
    throw new Error(oneLine.slice(0, LONGEST_REASON));
  }

  /** Imported on first use, because most installations send no mail. */
  private async open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    const { stepMs } = this;
    return createTransport({
      ...this.config,
      connectionTimeout: stepMs,
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      dnsTimeout: stepMs,
      maxResponseSize: LONGEST_ANSWER,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Servers repeat what they were sent: the refused address, and some of them the command with the password. */
  private withoutSecrets(text: string, address: string): string {
    const { user = '', pass: password = '' } = this.config.auth ?? {};
    const base64 = (plain: string) => Buffer.from(plain).toString('base64');
    // The longest first, because one secret may begin with another.
    const secrets = password ? [base64(`\0${user}\0${password}`), base64(password), password] : [];
    return [...secrets, address].reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  }
}

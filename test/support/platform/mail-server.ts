import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { serverCertificate, serverKey } from '../../../clients/node/src/testing/certificates.js';

export interface ReceivedMail extends Email {
  /** The mail as it came over the wire. */
  readonly raw: string;
  /** The recipients in the envelope. */
  readonly recipients: readonly string[];
  readonly wasEncrypted: boolean;
  readonly user: string | undefined;
}

/** A real mail server. It accepts every mail that its options do not refuse, and parses it like a mail program. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  private readonly server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.server = new SMTPServer({
      cert: serverCertificate,
      key: serverKey,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 100,
      ...options,
      onData: async (stream, session, callback) => {
        const raw = await buffer(stream);
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        const { secure: wasEncrypted, user } = session;
        const mail = await PostalMime.parse(raw);
        this.mails.push({ ...mail, raw: raw.toString(), recipients, wasEncrypted, user: user as string | undefined });
        callback();
      },
    });
    // A client that disconnects in the middle is not the server's fault.
    this.server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const started = new MailServer(options);
    await new Promise<void>((resolve) => started.server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  /** For SMTP_URL, without protocol and login. */
  get place(): string {
    return `127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.server.connections.size;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

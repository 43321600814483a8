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

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** A real mail server. It accepts every mail that its options do not refuse, and parses it like a mail program. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    cert: serverCertificate,
    key: serverKey,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    onData: async (stream, { envelope, secure: wasEncrypted, user }, callback) => {
      const raw = await buffer(stream);
      const recipients = envelope.rcptTo.map(({ address }) => address);
      const mail = await PostalMime.parse(raw);
      mails.push({ ...mail, raw: raw.toString(), recipients, wasEncrypted, user: user as string | undefined });
      callback();
    },
  });
  // A client that disconnects in the middle is not the server's fault.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    mails,
    /** For SMTP_URL, without protocol and login. */
    place: `127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    connections: () => server.connections.size,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

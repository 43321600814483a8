import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SMTPServerOptions } from 'smtp-server';
import { type MailServer, startMailServer } from '#test/support/platform/mail-server.js';
import { eventually } from '#test/support/eventually.js';
import { readConfig } from '#config/config.js';
import type { MailConfig } from '#config/mail-config.js';
import { Smtp } from './mail-receiver.js';

const ADDRESS = 'ada@example.org';
const MAIL = {
  from: { name: '', address: 'keys@example.com' },
  to: { name: 'Ada', address: ADDRESS },
  messageId: '<1@example.com>',
  subject: 'Subject',
  text: 'Text',
  html: '<p>HTML</p>',
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

/** A server that refuses what its options say and otherwise works. */
async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  open.push(() => server.stop());
  return server;
}

/** A server that speaks no SMTP, unless `talk` does. */
async function anyServer(talk: (socket: Socket) => void): Promise<{ server: Server; place: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { server, place: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function configOf(SMTP_URL: string): MailConfig {
  return readConfig({ DEMO: '1', DATABASE_URL: 'postgres://db/x', SMTP_URL, MAIL_FROM: 'keys@example.com' }).mail!;
}

/** The error of an attempt; undefined when the server accepted the mail. */
async function tried(url: string, stepMs?: number, { signal } = new AbortController()): Promise<string | undefined> {
  return new Smtp(configOf(url).smtp, stepMs).send(MAIL, signal).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const refusing = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

describe('a failed attempt', () => {
  test.each<[string, SMTPServerOptions, RegExp]>([
    [
      '421 at the greeting',
      { onConnect: (_session, callback) => callback(refusing(421, 'Too many connections')) },
      /421.*Too many connections/,
    ],
    [
      '451 at MAIL FROM',
      { onMailFrom: (_address, _session, callback) => callback(refusing(451, 'Come back later')) },
      /451.*Come back later/,
    ],
    [
      '550 at RCPT TO, without the address that it repeats',
      { onRcptTo: ({ address }, _session, callback) => callback(refusing(550, `<${address}> does not live here`)) },
      /550.*<…> does not live here/,
    ],
  ])('reports the answer of the server, and the next attempt works: %s', async (_what, options, why) => {
    const server = await mailServer(options);
    const message = await tried(`smtp://${server.place}`);
    expect(message).toMatch(why);
    expect(message).not.toContain(ADDRESS);
    expect(server.mails).toEqual([]);
    await eventually(async () => server.connections() === 0);

    const working = await mailServer();
    expect(await tried(`smtp://${working.place}`)).toBeUndefined();
    expect(working.mails).toHaveLength(1);
  });

  test('reports that the server refuses the connection', async () => {
    const { server, place } = await anyServer(() => undefined);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(await tried(`smtp://${place}`)).toMatch(/ECONNREFUSED/);
  });

  test('reports that the server closes in the middle of the mail', async () => {
    const { place } = await anyServer((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', (chunk) => {
        const command = chunk.toString();
        if (command.includes('Subject:')) socket.destroy();
        else socket.write(command.startsWith('DATA') ? '354 continue\r\n' : '250 ok\r\n');
      });
    });
    expect(await tried(`smtp://${place}`)).toMatch(/closed/i);
  });

  const STEP_MS = 100;
  /** On a busy machine, either timer may end the attempt. */
  const TIMED_OUT = /Greeting never received|timeout/i;
  test('ends when the server hangs after the connection is open', async () => {
    const sockets: Socket[] = [];
    const { place } = await anyServer((socket) => void sockets.push(socket.resume()));
    expect(await tried(`smtp://${place}`, STEP_MS)).toMatch(TIMED_OUT);
    await eventually(async () => sockets.every(({ destroyed }) => destroyed));
  });

  test('ends when the server hangs after a command', async () => {
    const { place } = await anyServer((socket) => void socket.resume().write('220 hello\r\n'));
    expect(await tried(`smtp://${place}`, STEP_MS)).toMatch(TIMED_OUT);
  });

  test('ends when it is aborted, even if the server never stops sending', async () => {
    const attempt = new AbortController();
    let lines = 0;
    const { place } = await anyServer((socket) => {
      const talking = setInterval(() => (lines += socket.write('220-and\r\n') ? 1 : 0), 50);
      socket.resume().on('close', () => clearInterval(talking));
    });
    const sent = tried(`smtp://${place}`, 600_000, attempt);
    await eventually(async () => lines > 2);
    attempt.abort();
    expect(await sent).toMatch(/abort/);
  });
});

describe('TLS', () => {
  test.each([
    ['smtp', {}],
    ['smtps', { secure: true }],
  ])('is required by %s: an untrusted certificate gets no mail', async (protocol, options) => {
    const server = await mailServer({ disabledCommands: ['AUTH'], ...options });
    expect(await tried(`${protocol}://${server.place}`)).toMatch(/certificate/);
    expect(server.mails).toEqual([]);
  });

  test.each([
    ['smtp', {}],
    ['smtps', { secure: true }],
  ])('is used by %s when it is offered', async (protocol, options) => {
    const server = await mailServer({ disabledCommands: ['AUTH'], ...options });
    expect(await tried(`${protocol}://${server.place}?tls.rejectUnauthorized=false`)).toBeUndefined();
    expect(server.mails.map(({ wasEncrypted }) => wasEncrypted)).toEqual([true]);
  });
});

describe('a login', () => {
  const [user, password] = ['keys@example.com', 'S3cret/pass'];
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const forms = [password, base64(password), base64(`\0${user}\0${password}`)];

  test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])('works with %s', async (method) => {
    const server = await mailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      authMethods: [method],
      onAuth: (auth, _session, callback) => {
        const isRight = auth.method === 'CRAM-MD5' ? auth.validatePassword(password) : auth.password === password;
        callback(isRight ? null : refusing(535, 'Wrong'), isRight ? { user: auth.username! } : undefined);
      },
    });
    expect(await tried(`smtp://${login}@${server.place}`)).toBeUndefined();
    expect(server.mails.map((mail) => mail.user)).toEqual([user]);
  });

  test.each(forms)('stays secret in the error even if the server repeats %s', async (form) => {
    const server = await mailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => callback(refusing(535, `Not ${form} for ${user}`)),
    });
    const message = await tried(`smtp://${login}@${server.place}`);
    expect(message).toMatch(/535 Not … for/);
    for (const secret of forms) expect(message).not.toContain(secret);
  });
});

describe('a password for a server that is not on this machine', () => {
  const [user, password] = ['keys', 'S3cret'];
  const secret = Buffer.from(`\0${user}\0${password}`).toString('base64');

  /** All that a server is sent which offers a login and refuses STARTTLS in its own way. */
  async function sentTo(query: string, answers: Readonly<Record<string, string>>): Promise<string> {
    let received = '';
    const { place } = await anyServer((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', (chunk) => {
        received += chunk.toString();
        const [command = ''] = /^\w+/.exec(chunk.toString()) ?? [];
        socket.write(`${answers[command] ?? '250 ok'}\r\n`);
      });
    });
    const [host, port] = place.split(':');
    const { smtp } = configOf(`smtp://${user}:${password}@mail.example.com${query}`);
    const { signal } = new AbortController();
    await new Smtp({ ...smtp, host: host!, port: Number(port) }).send(MAIL, signal).catch(() => undefined);
    return received;
  }

  const LOGIN = '250-hello\r\n250 AUTH PLAIN';
  test.each([
    ['offers no STARTTLS', { EHLO: LOGIN }],
    [
      'offers STARTTLS and refuses it',
      { EHLO: `250-hello\r\n250-STARTTLS\r\n250 AUTH PLAIN`, STARTTLS: '454 not now' },
    ],
    ['knows no EHLO', { EHLO: '502 unknown', HELO: LOGIN }],
  ])('is not sent to one that %s', async (_what, answers) => {
    const received = await sentTo('', answers);
    expect(received).toContain('EHLO');
    expect(received).not.toMatch(/AUTH|MAIL FROM/);
    expect(received).not.toContain(secret);
  });

  test('is sent to one that offers no STARTTLS with tls=opportunistic', async () => {
    expect(await sentTo('?tls=opportunistic', { EHLO: LOGIN, AUTH: '235 ok' })).toContain(`AUTH PLAIN ${secret}`);
  });
});

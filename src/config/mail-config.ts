import { emailProblem } from '#domain/accounts/account-profile.js';
import { isDecodable } from './env-reader.js';
import { isLoopbackUrl } from './network-config.js';
import type { Settings } from './settings.js';

export type MailConfig = NonNullable<ReturnType<typeof readMail>>;
export type SmtpConfig = MailConfig['smtp'];

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

const OPTIONS = ['tls=opportunistic', 'tls.rejectUnauthorized=false'];

const HOST = /^([\w.-]+|\[[\da-f:.]+\])$/i;

/** Undefined: no mail is sent. */
export function readMail(settings: Settings) {
  const url = settings.get('SMTP_URL');
  const from = settings.get('MAIL_FROM');
  const sender = from === undefined ? undefined : readSender(settings, from);
  const smtp = url !== undefined && URL.canParse(url) ? readSmtp(settings, new URL(url)) : undefined;
  return smtp && sender && { smtp, from: sender };
}

/** The mail server that sends our mails. */
function readSmtp(settings: Settings, url: URL) {
  const { protocol, hostname, port, username, password, pathname, hash, searchParams } = url;
  const wrong = (problem: string) => settings.wrong('SMTP_URL', problem);
  if (!HOST.test(hostname)) wrong('must name a host, in ASCII');
  if (port === '0') wrong('must name a port from 1 to 65535, or none');
  if (/[^/]/.test(pathname) || hash) wrong('may have only ?options after its host and port');
  if ((username === '') !== (password === '')) wrong('must have both a user and a password, or neither');
  const options = [...searchParams].map(([name, value]) => `${name}=${value}`);
  if (options.some((option) => !OPTIONS.includes(option))) wrong(`may have the options ${OPTIONS.join(' and ')} alone`);
  /** TLS from the first byte. If false, STARTTLS is used if the server offers it. */
  const secure = protocol === 'smtps:';
  const isRemote = !isLoopbackUrl(url.href);
  const isOpportunistic = options.includes('tls=opportunistic');
  const rejectUnauthorized = !options.includes('tls.rejectUnauthorized=false');
  // A login that can't be decoded was already refused when the URL was read.
  const hasLogin = username !== '' && isDecodable(username + password);
  const auth = hasLogin ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined;
  const smtp = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT),
    secure,
    auth,
    /** Send nothing without STARTTLS: a machine on the way could remove it from the server's offers, to get the password. */
    requireTLS: isRemote && !secure && username !== '' && !isOpportunistic,
    tls: { rejectUnauthorized },
  };
  settings.shown['SMTP_URL'] = `${protocol}//${hostname}:${smtp.port}`;
  if (isRemote && auth && !secure && isOpportunistic) {
    const fix = 'use smtps:// or remove tls=opportunistic';
    settings.warn('SMTP_URL', `sends its password unencrypted to a server that offers no STARTTLS: ${fix}`);
  }
  if (isRemote && !rejectUnauthorized) {
    const danger = 'a machine that poses as the mail server can read all mail and the password';
    settings.warn('SMTP_URL', `accepts any certificate: ${danger}`);
  }
  return smtp;
}

/** `keys@example.com`, or `Example Keys <keys@example.com>`. */
function readSender(settings: Settings, text: string) {
  const [, quoted, plain = '', bracketed] = /^(?:"([^"\\]*)"|([^"<>]*?))\s*<([^<>]*)>$/.exec(text.trim()) ?? [];
  const address = bracketed ?? text.trim();
  const isSender = emailProblem(address) === undefined && !/[<>()[\]\\,;:"]/.test(address) && !/\p{Cc}/u.test(text);
  if (isSender) return { name: quoted ?? plain, address };
  settings.wrong('MAIL_FROM', 'must be an email address, as keys@example.com or Example Keys <keys@example.com>');
  return undefined;
}

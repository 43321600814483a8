import { emailProblem } from '#domain/accounts/account-profile.js';
import { isDecodable } from './env-reader.js';
import { isLoopbackUrl } from './network-config.js';
import type { Settings } from './settings.js';

export type MailConfig = NonNullable<ReturnType<typeof readMail>>;
export type SmtpConfig = MailConfig['smtp'];

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;
const RULES: Readonly<Record<string, RegExp>> = {
  requireTLS: /^(true|false)$/,
  ignoreTLS: /^(true|false)$/,
  tls: /^opportunistic$/,
  name: /^[\w.:[\]-]{1,255}$/,
  authMethod: /^(PLAIN|LOGIN|CRAM-MD5)$/,
  'tls.servername': /^[\w.-]{1,255}$/,
  'tls.rejectUnauthorized': /^(true|false)$/,
};
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
  /** TLS from the first byte. If false, STARTTLS is used if the server offers it. */
  const secure = protocol === 'smtps:';
  const isRemote = !isLoopbackUrl(url.href);
  const options = readSmtpOptions(searchParams, isRemote && !secure && username !== '', wrong);
  // A login that can't be decoded was already refused when the URL was read.
  const hasLogin = username !== '' && isDecodable(username + password);
  const auth = hasLogin ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const smtp = { host, port: Number(port) || (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT), secure, auth, ...options };
  settings.shown['SMTP_URL'] = `${protocol}//${hostname}:${smtp.port}`;
  if (isRemote) warnOfDanger(settings, secure || options.requireTLS, auth !== undefined, options);
  return smtp;
}

/**
 * What the query decides. The names are nodemailer's.
 * @param risksPassword whether a machine on the way could remove STARTTLS from the server's offers, to get the password
 */
function readSmtpOptions(query: URLSearchParams, risksPassword: boolean, wrong: (problem: string) => void) {
  const given = (name: string) => query.get(name) ?? undefined;
  for (const [name, value] of query) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (!rule) wrong(`has an unknown option: the options are ${Object.keys(RULES).join(', ')}`);
    else if (!rule.test(value)) wrong(`has an invalid value of ${name}`);
  }
  const isOpportunistic = given('tls') === 'opportunistic';
  const requireTLS = given('requireTLS') === 'true';
  const ignoreTLS = given('ignoreTLS') === 'true';
  if (requireTLS && ignoreTLS) wrong('must not both require TLS and ignore it');
  if (requireTLS && isOpportunistic) wrong('must not both require TLS and make it opportunistic');
  const needsTls = risksPassword && !isOpportunistic;
  if (needsTls && (ignoreTLS || given('requireTLS') === 'false')) {
    const fix = 'remove requireTLS=false or ignoreTLS=true, or add tls=opportunistic to accept that';
    wrong(`must not allow its password to be sent unencrypted: ${fix}`);
  }
  return {
    /** Send nothing unencrypted: without STARTTLS no mail is sent. Always so with a login to another machine. */
    requireTLS: requireTLS || needsTls,
    /** Do not use STARTTLS, even if the server offers it. */
    ignoreTLS,
    /** The name that we send to the server. Undefined: the machine's name. */
    name: given('name'),
    /** Undefined: the first one that the server offers. */
    authMethod: given('authMethod'),
    tls: {
      /** The name in the server's certificate. Undefined: the host. */
      servername: given('tls.servername'),
      rejectUnauthorized: given('tls.rejectUnauthorized') !== 'false',
    },
  };
}

function warnOfDanger(
  settings: Settings,
  alwaysEncrypts: boolean,
  logsIn: boolean,
  options: Pick<SmtpConfig, 'tls'>,
): void {
  if (logsIn && !alwaysEncrypts) {
    const fix = 'use smtps:// or remove tls=opportunistic';
    settings.warn('SMTP_URL', `sends its password unencrypted to a server that offers no STARTTLS: ${fix}`);
  }
  if (!options.tls.rejectUnauthorized) {
    settings.warn(
      'SMTP_URL',
      'accepts any certificate: a machine that poses as the mail server can read all mail and the password',
    );
  }
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

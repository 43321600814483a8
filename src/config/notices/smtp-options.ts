/** The options that the query of SMTP_URL may contain, with nodemailer's names. */
export interface SmtpOptions {
  /** Send nothing unencrypted: without STARTTLS no mail is sent. */
  readonly requireTls: boolean;
  /** Do not use STARTTLS, even if the server offers it. */
  readonly ignoreTls: boolean;
  /** The name that we send to the server. Undefined: the machine's name. */
  readonly name: string | undefined;
  /** PLAIN, LOGIN or CRAM-MD5. Undefined: the first one that the server offers. */
  readonly authMethod: string | undefined;
  readonly tls: {
    /** The name in the server's certificate. Undefined: the host. */
    readonly servername: string | undefined;
    readonly rejectUnauthorized: boolean;
  };
}

const RULES: Readonly<Record<string, RegExp>> = {
  requireTLS: /^(true|false)$/,
  ignoreTLS: /^(true|false)$/,
  name: /^[\w.:[\]-]{1,255}$/,
  authMethod: /^(PLAIN|LOGIN|CRAM-MD5)$/,
  'tls.servername': /^[\w.-]{1,255}$/,
  'tls.rejectUnauthorized': /^(true|false)$/,
};

/** @param wrong is called with each problem, in words that contain no value */
export function readSmtpOptions(query: URLSearchParams, wrong: (problem: string) => void): SmtpOptions {
  const given = (name: string) => query.get(name) ?? undefined;
  for (const [name, value] of query) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (!rule) wrong(`has an option that is none of ${Object.keys(RULES).join(', ')}`);
    else if (!rule.test(value)) wrong(`has a value of ${name} that does not fit`);
  }
  const requireTls = given('requireTLS') === 'true';
  const ignoreTls = given('ignoreTLS') === 'true';
  if (requireTls && ignoreTls) wrong('must not both require TLS and ignore it');
  return {
    requireTls,
    ignoreTls,
    name: given('name'),
    authMethod: given('authMethod'),
    tls: {
      servername: given('tls.servername'),
      rejectUnauthorized: given('tls.rejectUnauthorized') !== 'false',
    },
  };
}

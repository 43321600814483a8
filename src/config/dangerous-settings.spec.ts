import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { ConfigError, readConfig } from './config.js';
import { isOneTypoApart } from './mistakes.js';

const [ONE, TWO] = ['1'.repeat(64), '2'.repeat(64)];
const SAFE = {
  DATABASE_URL: 'postgres://latchkey@db/latchkey',
  SERVICE_TOKENS: `gateway:validator:${ONE},platform:accounts:${TWO}`,
  PUBLIC_URL: 'https://keys.example.com',
};

/** The lines that a start prints about settings: those that stop it, or those that it logs. */
function told(env: NodeJS.ProcessEnv): { refused: readonly string[] } | { warned: readonly string[] } {
  try {
    return { warned: readConfig({ ...SAFE, ...env }).warnings };
  } catch (error) {
    if (error instanceof ConfigError) return { refused: error.problems };
    throw error;
  }
}

const UNENCRYPTED = 'passwords, session cookies and new keys would cross the network unencrypted';
const HTTP_IN_PUBLIC = `PUBLIC_URL must start with https:// where its host is public: ${UNENCRYPTED}`;
const ENCODED = 'has a password that must be percent-encoded: # as %23, / as %2F, ? as %3F, @ as %40, % as %25';

test('safe settings are taken without a word', () => expect(told({})).toEqual({ warned: [] }));

describe('PUBLIC_URL', () => {
  test.each([
    'keys.example.com',
    '192.0.2.7',
    '[2001:db8::1]',
    '127.0.0.1.example.com',
    'example.com.:8080',
    '8.8.8.8',
  ])('by http at %s, which is public, is refused', (host) =>
    expect(told({ PUBLIC_URL: `http://${host}` })).toEqual({ refused: [HTTP_IN_PUBLIC] }),
  );

  test.each(['10.1.2.3', '172.31.0.1:8080', '192.168.1.1', '100.100.0.1', '[fd00::1]', 'keys', 'keys.corp.internal'])(
    'by http at %s, in a network of your own, is warned of',
    (host) =>
      expect(told({ PUBLIC_URL: `http://${host}` })).toEqual({ warned: [`PUBLIC_URL is http: ${UNENCRYPTED}`] }),
  );

  test.each(['127.0.0.1:3000', 'localhost', '[::1]:8080'])('by http at %s, this machine, is taken', (host) => {
    expect(told({ PUBLIC_URL: `http://${host}` })).toEqual({ warned: [] });
  });

  test('that is missing is warned of, with what counts instead', () => {
    expect(told({ PUBLIC_URL: '', HOST: '0.0.0.0' })).toEqual({
      warned: ['PUBLIC_URL is missing: browsers may sign in only at http://0.0.0.0:3000'],
    });
  });

  test.each(['/keys', '/keys/', '?tenant=1', '#top'])('with %s after its host is refused', (rest) => {
    expect(told({ PUBLIC_URL: `https://example.com${rest}` })).toEqual({
      refused: ['PUBLIC_URL must have nothing after its host and port: Latchkey answers at the root of a host'],
    });
  });
});

describe('SERVICE_TOKENS', () => {
  test('with one token for several roles is warned of, by name and never by digest', () => {
    const SERVICE_TOKENS = `a:validator:${ONE},b:accounts:${TWO},b:validator:${TWO.toUpperCase()}`;
    expect(told({ SERVICE_TOKENS })).toEqual({
      warned: [
        'SERVICE_TOKENS gives one token several roles (b:accounts, b:validator): a thief who takes it from a service that only validates keys could also create accounts. Create one for each role',
      ],
    });
  });

  test('may give one name several tokens, and one token several names', () => {
    expect(told({ SERVICE_TOKENS: `a:validator:${ONE},a:accounts:${TWO},c:accounts:${TWO}` })).toEqual({ warned: [] });
  });
});

describe('SMTP_URL', () => {
  const MAIL_FROM = 'keys@example.com';

  test.each([
    [
      'smtp://user:pass@mail',
      'sends its password unencrypted to a server that offers no STARTTLS: use smtps:// or add ?requireTLS=true',
    ],
    [
      'smtps://mail?tls.rejectUnauthorized=false',
      'accepts any certificate: a machine that poses as the mail server can read all mail',
    ],
  ])('%s is warned of', (SMTP_URL, danger) => {
    expect(told({ SMTP_URL, MAIL_FROM })).toEqual({ warned: [`SMTP_URL ${danger}`] });
  });

  test.each([
    'smtp://mail.example.com',
    'smtps://user:pass@mail.example.com',
    'smtp://user:pass@mail.example.com?requireTLS=true',
    'smtp://user:pass@127.0.0.1:1025?tls.rejectUnauthorized=false',
  ])('%s is taken', (SMTP_URL) => expect(told({ SMTP_URL, MAIL_FROM })).toEqual({ warned: [] }));
});

describe('a variable that nobody reads', () => {
  test.each([
    ['AUDIT_SEALKEY', 'AUDIT_SEAL_KEY'],
    ['AUDIT_SEAL_KEYS', 'AUDIT_SEAL_KEY'],
    ['TRUSTED_PROXY', undefined],
    ['TRUSTED_PROXEIS', 'TRUSTED_PROXIES'],
    ['REDIS_URI', 'REDIS_URL'],
    ['workers', 'WORKERS'],
    ['DATABASE', undefined],
  ])('%s is taken for %s', (name, meant) => {
    const warned = meant ? [`${name} is not a variable of Latchkey and is ignored. Did you mean ${meant}?`] : [];
    expect(told({ [name]: 'S3cret' })).toEqual({ warned });
  });

  test('is of no interest while it is empty', () => expect(told({ AUDIT_SEALKEY: '' })).toEqual({ warned: [] }));

  test('is never one of ours: no two of our variables are that close', () => {
    const example = readFileSync(join(root, '.env.example'), 'utf8');
    const ours = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name!);
    expect(ours.length).toBeGreaterThan(30);
    expect(ours.filter((one) => ours.some((other) => isOneTypoApart(one, other)))).toEqual([]);
  });
});

test('with demo values nothing of this is said: they are for trying out', () => {
  const env = { DEMO: '1', PUBLIC_URL: 'http://keys.example.com', AUDIT_SEALKEY: 'x' };
  expect(told({ ...env, SERVICE_TOKENS: `a:validator:${ONE},a:accounts:${ONE}` })).toEqual({ warned: [] });
  expect(told({ DEMO: '1', PUBLIC_URL: '' })).toEqual({ warned: [] });
});

describe('a password in a URL', () => {
  test.each(['pa#ss', 'pa/ss', 'pa?ss', '12#3', '12/3', 'pa%ss', '#', 'a#b@c'])(
    'the refusal of %s says which characters to percent-encode',
    (password) => {
      for (const name of ['DATABASE_URL', 'REDIS_URL']) {
        const scheme = name === 'REDIS_URL' ? 'rediss' : 'postgresql';
        expect(told({ [name]: `${scheme}://latchkey:${password}@db.example.com:5432/x` })).toEqual({
          refused: [`${name} ${ENCODED}`],
        });
      }
    },
  );

  test.each([
    'postgresql://latchkey:pa%23s%2Fs@db/latchkey?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgresql://db:5432/latchkey?user=a@b',
    'postgresql:///latchkey?host=/run/postgresql',
    'postgresql://latchkey:a!b$c&d@db/latchkey',
  ])('is right in %s', (DATABASE_URL) => expect(told({ DATABASE_URL })).toEqual({ warned: [] }));
});

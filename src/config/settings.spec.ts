import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { ConfigError, readConfig } from './config.js';
import { SETTINGS } from './settings.js';
import { isOneTypoApart } from './env-reader.js';

describe('the settings in the log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  const file = join(folder, 'some.json');
  writeFileSync(file, '[]');
  const roles = join(folder, 'roles.json');
  writeFileSync(roles, '{}');
  afterAll(() => rmSync(folder, { recursive: true }));

  const digest = createHash('sha256').update('token').digest('hex');
  const SECRETS = [
    'S3cret-of-the-database',
    'S3cret-of-Redis',
    'S3cret-of-the-client',
    'S3cret-in-a-query',
    '5e'.repeat(32),
    digest,
    Buffer.alloc(32, 'signs').toString('base64'),
    'S3cret-of-mail',
  ];

  const examples = readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^#([A-Z][A-Z_]+)=(.*)$/gm);
  const env = {
    ...Object.fromEntries([...examples].map(([, name, value]) => [name, value])),
    DATABASE_URL: `postgres://latchkey:${SECRETS[0]}@db:5433,db2:5434/keys?sslpassword=${SECRETS[3]}`,
    REDIS_URL: `redis://:${SECRETS[1]}@cache:6379/2`,
    OIDC_CLIENT_SECRET: SECRETS[2],
    WEBHOOK_URL: `https://hooks.example.com/in?token=${SECRETS[3]}`,
    WEBHOOK_SECRET: `whsec_${SECRETS[6]}`,
    AUDIT_SEAL_KEY: SECRETS[4],
    SMTP_URL: `smtps://latchkey:${SECRETS[7]}@mail.example.com`,
    SERVICE_TOKENS: `gateway:validator:${digest}`,
    SIGN_IN_ROLES: roles,
    ...Object.fromEntries(
      ['FORWARD_AUTH_ROUTES', 'GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CLIENT_CA'].map((name) => [name, file]),
    ),
  };
  const shown = readConfig(env).shown;

  test('include every variable that the service reads', () => {
    const named = Object.keys(SETTINGS).filter((name) => name !== 'NODE_ENV');
    const names = Object.entries(shown).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    expect(names).toEqual(expect.arrayContaining(named));
  });

  test('show the places of the stores and no secrets', () => {
    expect(shown).toMatchObject({
      DATABASE_URL: 'postgres://db:5433/keys postgres://db2:5434/keys',
      REDIS_URL: 'redis://cache:6379/2',
      SMTP_URL: 'smtps://mail.example.com:465',
      SERVICE_TOKENS: ['gateway:validator'],
      AUDIT_SEAL_KEY: 1,
    });
    for (const secret of SECRETS) expect(JSON.stringify(shown)).not.toContain(secret);
  });
});

describe('Dangerous settings', () => {
  const [ONE, TWO] = ['1'.repeat(64), '2'.repeat(64)];
  const SAFE = {
    DATABASE_URL: 'postgres://latchkey@db/latchkey',
    SERVICE_TOKENS: `gateway:validator:${ONE},platform:accounts:${TWO}`,
    PUBLIC_URL: 'https://keys.example.com',
  };

  /** The lines that a start prints about settings: errors that stop it, or warnings. */
  function linesOf(env: NodeJS.ProcessEnv): { refused: readonly string[] } | { warned: readonly string[] } {
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

  test('safe settings cause no line', () => expect(linesOf({})).toEqual({ warned: [] }));

  describe('PUBLIC_URL', () => {
    test.each([
      'keys.example.com',
      '192.0.2.7',
      '[2001:db8::1]',
      '127.0.0.1.example.com',
      'example.com.:8080',
      '8.8.8.8',
    ])('is refused if it is http on a public host: %s', (host) =>
      expect(linesOf({ PUBLIC_URL: `http://${host}` })).toEqual({ refused: [HTTP_IN_PUBLIC] }),
    );

    test.each(['10.1.2.3', '172.31.0.1:8080', '192.168.1.1', '100.100.0.1', '[fd00::1]', 'keys', 'keys.corp.internal'])(
      'causes a warning if it is http on a private network: %s',
      (host) =>
        expect(linesOf({ PUBLIC_URL: `http://${host}` })).toEqual({ warned: [`PUBLIC_URL is http: ${UNENCRYPTED}`] }),
    );

    test.each(['127.0.0.1:3000', 'localhost', '[::1]:8080'])(
      'is accepted as http on a loopback address: %s',
      (host) => {
        expect(linesOf({ PUBLIC_URL: `http://${host}` })).toEqual({ warned: [] });
      },
    );

    test('causes a warning with the default if it is missing', () => {
      expect(linesOf({ PUBLIC_URL: '', HOST: '0.0.0.0', GRPC_PLAINTEXT: 'on' })).toEqual({
        warned: ['PUBLIC_URL is missing: browsers may sign in only at http://0.0.0.0:3000'],
      });
    });

    test.each(['/keys', '/keys/', '?tenant=1', '#top'])('is refused with anything after its host: %s', (rest) => {
      expect(linesOf({ PUBLIC_URL: `https://example.com${rest}` })).toEqual({
        refused: ['PUBLIC_URL must have nothing after its host and port: Latchkey answers at the root of a host'],
      });
    });
  });

  describe('GRPC_PORT', () => {
    const warned = [
      'GRPC_PORT is not encrypted: service tokens and keys cross the network readable. Set GRPC_TLS_CERT and GRPC_TLS_KEY, or GRPC_PLAINTEXT=on where a mesh encrypts the connections',
    ];
    const file = join(root, 'package.json');

    test.each(['0.0.0.0', '::', '10.0.0.7', 'keys.internal'])('causes a warning without TLS on %s', (HOST) => {
      expect(linesOf({ HOST })).toEqual({ warned });
      expect(linesOf({ HOST, GRPC_PLAINTEXT: 'on' })).toEqual({ warned: [] });
      expect(linesOf({ HOST, GRPC_TLS_CERT: file, GRPC_TLS_KEY: file })).toEqual({ warned: [] });
      expect(linesOf({ HOST, DEMO: 'on', PUBLIC_URL: 'http://localhost:8080' })).toEqual({ warned: [] });
    });

    test.each(['127.0.0.1', 'localhost', '::1'])('may be without TLS on %s', (HOST) => {
      expect(linesOf({ HOST })).toEqual({ warned: [] });
    });
  });

  describe('SERVICE_TOKENS', () => {
    test('cause a warning without the digest if one token has several roles', () => {
      const SERVICE_TOKENS = `a:validator:${ONE},b:accounts:${TWO},b:validator:${TWO.toUpperCase()}`;
      expect(linesOf({ SERVICE_TOKENS })).toEqual({
        warned: [
          'SERVICE_TOKENS gives one token several roles (b:accounts, b:validator): a thief who takes it from a service that only validates keys could also create accounts. Create one for each role',
        ],
      });
    });

    test('may have several tokens for a name and several names for a token', () => {
      expect(linesOf({ SERVICE_TOKENS: `a:validator:${ONE},a:accounts:${TWO},c:accounts:${TWO}` })).toEqual({
        warned: [],
      });
    });
  });

  describe('SMTP_URL', () => {
    const MAIL_FROM = 'keys@example.com';

    test.each([
      [
        'smtp://user:pass@mail?tls=opportunistic',
        'sends its password unencrypted to a server that offers no STARTTLS: use smtps:// or remove tls=opportunistic',
      ],
      [
        'smtps://mail?tls.rejectUnauthorized=false',
        'accepts any certificate: a machine that poses as the mail server can read all mail and the password',
      ],
    ])('causes a warning: %s', (SMTP_URL, danger) => {
      expect(linesOf({ SMTP_URL, MAIL_FROM })).toEqual({ warned: [`SMTP_URL ${danger}`] });
    });

    test.each([
      'smtp://mail.example.com',
      'smtps://user:pass@mail.example.com',
      'smtp://user:pass@mail.example.com',
      'smtp://user:pass@127.0.0.1:1025?tls.rejectUnauthorized=false',
    ])('is accepted: %s', (SMTP_URL) => expect(linesOf({ SMTP_URL, MAIL_FROM })).toEqual({ warned: [] }));
  });

  describe('an unknown variable', () => {
    test.each([
      ['AUDIT_SEALKEY', 'AUDIT_SEAL_KEY'],
      ['AUDIT_SEAL_KEYS', 'AUDIT_SEAL_KEY'],
      ['TRUSTED_PROXY', undefined],
      ['TRUSTED_PROXEIS', 'TRUSTED_PROXIES'],
      ['REDIS_URI', 'REDIS_URL'],
      ['workers', 'WORKERS'],
      ['DATABASE', undefined],
    ])('causes a warning if it resembles one of ours: %s, %s', (name, meant) => {
      const warned = meant ? [`${name} is not a variable of Latchkey and is ignored. Did you mean ${meant}?`] : [];
      expect(linesOf({ [name]: 'S3cret' })).toEqual({ warned });
    });

    test('causes no warning while it is empty', () => expect(linesOf({ AUDIT_SEALKEY: '' })).toEqual({ warned: [] }));

    test('is never one of ours, because no two of ours are that similar', () => {
      const example = readFileSync(join(root, '.env.example'), 'utf8');
      const ours = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name!);
      expect(ours.length).toBeGreaterThan(30);
      expect(ours.filter((one) => ours.some((other) => isOneTypoApart(one, other)))).toEqual([]);
    });
  });

  test('demo values cause no warnings, except at an address that others reach', () => {
    const env = { DEMO: '1', PUBLIC_URL: 'http://localhost:8080', AUDIT_SEALKEY: 'x' };
    expect(linesOf({ ...env, SERVICE_TOKENS: `a:validator:${ONE},a:accounts:${ONE}` })).toEqual({ warned: [] });
    expect(linesOf({ DEMO: '1', PUBLIC_URL: '' })).toEqual({ warned: [] });
    expect(linesOf({ DEMO: '1' })).toEqual({
      warned: [
        'DEMO is on at https://keys.example.com: its passwords and tokens are public. Set DEMO=off in production',
      ],
    });
  });

  describe('a password in a URL', () => {
    test.each(['pa#ss', 'pa/ss', 'pa?ss', '12#3', '12/3', 'pa%ss', '#', 'a#b@c'])(
      'is refused with the characters to percent-encode: %s',
      (password) => {
        for (const name of ['DATABASE_URL', 'REDIS_URL']) {
          const scheme = name === 'REDIS_URL' ? 'rediss' : 'postgresql';
          expect(linesOf({ [name]: `${scheme}://latchkey:${password}@db.example.com:5432/x` })).toEqual({
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
    ])('is accepted in %s', (DATABASE_URL) => expect(linesOf({ DATABASE_URL })).toEqual({ warned: [] }));
  });
});

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { ConfigError, readConfig } from './config.js';
import { urlHost } from './network-config.js';
import { parseClientRoles } from './service-roles.js';

const hex = (token: string) => createHash('sha256').update(token).digest('hex');
/** The required settings. */
const NEEDED = {
  DATABASE_URL: 'postgres://latchkey@db/latchkey',
  SERVICE_TOKENS: `gateway:validator:${hex('token')}`,
};
const read = (env: NodeJS.ProcessEnv = {}) => readConfig({ ...NEEDED, ...env });

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
const problems = (env: NodeJS.ProcessEnv) => problemsOf({ ...NEEDED, ...env });

const folder = mkdtempSync(join(tmpdir(), 'config-'));
const pem = join(folder, 'some.pem');
writeFileSync(pem, 'pem');
afterAll(() => rmSync(folder, { recursive: true }));

describe('the configuration', () => {
  test.each(['\n', ' ', '\r\n', '\t'])('takes no value with the white space %j around it', (space) => {
    const values = {
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://keys.example.org',
      HELP_URL: 'https://help.example.org',
      LOG_LEVEL: 'warn',
    };
    const padded = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, `${space}${value}${space}`]),
    );
    expect(read({ ...padded, GRPC_PLAINTEXT: `on${space}` })).toEqual(read({ ...values, GRPC_PLAINTEXT: 'on' }));
    expect(read({ HELP_URL: space }).helpUrl).toBeUndefined();
  });

  test('has defaults for everything but the database and the service tokens', () => {
    expect(read()).toEqual({
      host: '127.0.0.1',
      httpPort: 3000,
      grpcPort: 50051,
      servicesPort: undefined,
      metricsPort: undefined,
      extAuthzRoutes: false,
      edgePort: undefined,
      credentials: ['bearer'],
      publicUrl: 'http://127.0.0.1:3000',
      exampleUrl: undefined,
      helpUrl: undefined,
      docsUrl: undefined,
      crossOrigins: [],
      ownOrigins: ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'],
      trustedProxies: [],
      database: {
        urls: [NEEDED.DATABASE_URL],
        timeoutMs: 120,
        pooling: 'session',
        readBarrier: false,
        requireSynchronous: false,
      },
      redis: undefined,
      keyPrefix: 'lk',
      importPrefixes: [],
      rateLimit: { perSecond: 20, burst: 100 },
      serviceTokens: [{ name: 'gateway', role: 'validator', digest: Buffer.from(hex('token'), 'hex') }],
      platformLogin: undefined,
      oidc: undefined,
      passwordSignIn: true,
      freshSignIn: { maxAgeSeconds: 300, acrValues: [] },
      grpcPlaintext: false,
      grpcTls: undefined,
      audit: { sealKeys: [], retentionDays: undefined },
      noticeReceivers: { webhook: false, mail: false },
      webhook: undefined,
      mail: undefined,
      expiryNoticeDays: [30, 7, 1],
      forwardAuthRoutes: undefined,
      demo: false,
      workers: 1,
      logLevel: 'info',
      slowValidationMs: 100,
      leaseMs: 0,
      introspectionExp: false,
      keyChangesPerHour: 60,
      keyPolicy: { maxActiveKeys: 5, maxKeyDays: 365, personalKeys: true },
      adminPermission: undefined,
      traces: false,
      warnings: ['PUBLIC_URL is missing: browsers may sign in only at http://127.0.0.1:3000'],
      shown: expect.objectContaining({ HTTP_PORT: 3000, PUBLIC_URL: 'http://127.0.0.1:3000' }),
    });
  });

  test('cannot be changed after it was read', () => {
    expect(Object.isFrozen(read())).toBe(true);
  });

  test('treats an empty variable as unset', () => {
    const names = ['HTTP_PORT', 'GRPC_PORT', 'HOST', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'REDIS_URL', 'KEY_PREFIX'];
    const more = [
      'RATE_LIMIT_PER_SECOND',
      'RATE_LIMIT_BURST',
      'SESSION_JWKS_URL',
      'GRPC_TLS_CERT',
      'DATABASE_PATIENCE_MS',
      'DEMO',
      'WORKERS',
      'LOG_LEVEL',
    ];
    const empty = Object.fromEntries([...names, ...more].map((name) => [name, '']));
    expect(read(empty)).toEqual(read());
  });

  test('names every missing variable on a line of its own', () => {
    expect(problemsOf({})).toEqual([
      'SERVICE_TOKENS is missing: name:role:sha256-hex of each token, comma-separated; or set DEMO=on, to try Latchkey with public ones',
      'DATABASE_URL is missing',
    ]);
    expect(() => readConfig({ DATABASE_URL: '', SERVICE_TOKENS: ' , ' })).toThrow(
      'SERVICE_TOKENS is missing: name:role:sha256-hex of each token, comma-separated; or set DEMO=on, to try Latchkey with public ones\nDATABASE_URL is missing',
    );
  });
});

describe('a setting', () => {
  test.each<[NodeJS.ProcessEnv, object]>([
    [
      { HTTP_PORT: '0', GRPC_PORT: '65535' },
      { httpPort: 0, grpcPort: 65535 },
    ],
    [
      { HOST: '0.0.0.0', HTTP_PORT: '80' },
      { host: '0.0.0.0', publicUrl: 'http://0.0.0.0:80' },
    ],
    [{ HOST: '::1', HTTP_PORT: '80' }, { publicUrl: 'http://[::1]:80' }],
    [
      { PUBLIC_URL: 'https://keys.example.org/' },
      { publicUrl: 'https://keys.example.org', ownOrigins: ['https://keys.example.org'] },
    ],
    [
      { PUBLIC_URL: 'https://example.org:8443//' },
      { publicUrl: 'https://example.org:8443', ownOrigins: ['https://example.org:8443'] },
    ],
    [
      { TRUSTED_PROXIES: ' 10.0.0.0/8 ,, ::1 , fd00::/8, loopback' },
      { trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/8', 'loopback'] },
    ],
    [{ REDIS_URL: 'rediss://cache:6380' }, { redis: { kind: 'server', url: 'rediss://cache:6380' } }],
    [{ KEY_PREFIX: 'acme1' }, { keyPrefix: 'acme1' }],
    [{ IMPORT_PREFIXES: 'acme_live_, sk|' }, { importPrefixes: ['acme_live_', 'sk|'] }],
    [{ RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1' }, { rateLimit: { perSecond: 1_000_000, burst: 1 } }],
    [{ MAX_ACTIVE_KEYS: '100', MAX_KEY_DAYS: '1' }, { keyPolicy: { maxActiveKeys: 100, maxKeyDays: 1 } }],
    ...[{ WEBHOOK_URL: 'https://hooks.example/', WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` }].map(
      (receiver): [NodeJS.ProcessEnv, object] => [
        { ...receiver, REVOKE_IDLE_AFTER_DAYS: '14' },
        { keyPolicy: { revokeIdleAfterDays: 14 } },
      ],
    ),
    ...[0, 100, 2000].map((leaseMs): [NodeJS.ProcessEnv, object] => [{ LEASE_MS: String(leaseMs) }, { leaseMs }]),
    [{ ADMIN_PERMISSION: 'api-keys:administer' }, { adminPermission: 'api-keys:administer' }],
    [{ WORKERS: '64' }, { workers: 64 }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{ METRICS_PORT: '9464' }, { metricsPort: 9464 }],
    [{ PERSONAL_KEYS: 'off' }, { keyPolicy: { personalKeys: false } }],
    [{ CREDENTIALS: 'x-api-key, bearer,bearer' }, { credentials: ['x-api-key', 'bearer'] }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, { traces: true }],
    [{ AUDIT_RETENTION_DAYS: '400' }, { audit: { retentionDays: 400 } }],
  ])('is accepted: %j', (env, expected) => expect(read(env)).toMatchObject(expected));

  test.each<[NodeJS.ProcessEnv, string]>([
    ...['70000', '-1', '3e3', '0x10', '8 0', 'http', '1.5', '9999999999'].map((value): [NodeJS.ProcessEnv, string] => [
      { HTTP_PORT: value },
      'HTTP_PORT must be a whole number from 0 to 65535',
    ]),
    [{ CREDENTIALS: 'bearer,cookie' }, 'CREDENTIALS entry 2 must be one of bearer, x-api-key, basic'],
    [{ CREDENTIALS: 'Bearer' }, 'CREDENTIALS entry 1 must be one of bearer, x-api-key, basic'],
    [{ EXT_AUTHZ_ROUTES: 'on' }, 'FORWARD_AUTH_ROUTES is missing: it is needed with EXT_AUTHZ_ROUTES=on'],
    [{ EDGE_PORT: '3100' }, 'FORWARD_AUTH_ROUTES is missing: it is needed with EDGE_PORT'],
    [{ METRICS_PORT: '65536' }, 'METRICS_PORT must be a whole number from 0 to 65535'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://',
    ],
    [{ GRPC_PORT: 'x' }, 'GRPC_PORT must be a whole number from 0 to 65535'],
    [{ RATE_LIMIT_PER_SECOND: '0' }, 'RATE_LIMIT_PER_SECOND must be a whole number from 1 to 1000000'],
    [{ RATE_LIMIT_BURST: '1000001' }, 'RATE_LIMIT_BURST must be a whole number from 1 to 1000000'],
    ...['0', '101'].map((value): [NodeJS.ProcessEnv, string] => [
      { MAX_ACTIVE_KEYS: value },
      'MAX_ACTIVE_KEYS must be a whole number from 1 to 100',
    ]),
    ...['0', '366'].map((value): [NodeJS.ProcessEnv, string] => [
      { MAX_KEY_DAYS: value },
      'MAX_KEY_DAYS must be a whole number from 1 to 365',
    ]),
    ...['13', '366'].map((value): [NodeJS.ProcessEnv, string] => [
      { REVOKE_IDLE_AFTER_DAYS: value },
      'REVOKE_IDLE_AFTER_DAYS must be a whole number from 14 to 365',
    ]),
    [{ LEASE_MS: '99' }, 'LEASE_MS must be 0, or at least 100'],
    [{ LEASE_MS: '2001' }, 'LEASE_MS must be a whole number from 0 to 2000'],
    ...['api-keys:read', 'api-keys:write'].map((value): [NodeJS.ProcessEnv, string] => [
      { ADMIN_PERMISSION: value },
      'ADMIN_PERMISSION must have an action other than read and write',
    ]),
    [
      { ADMIN_PERMISSION: 'api-keys:*' },
      'ADMIN_PERMISSION must have an action of up to 28 characters of [a-z0-9._-] that starts with a letter',
    ],
    [{ ADMIN_PERMISSION: 'administer' }, 'ADMIN_PERMISSION must have the form resource:action without wildcards'],
    ...['LK', 'l_k', '1lk', 'l k', 'abcdefghijklmnopq'].map((value): [NodeJS.ProcessEnv, string] => [
      { KEY_PREFIX: value },
      'KEY_PREFIX must match [a-z][a-z0-9]{0,15}',
    ]),
    ...['ab', 'a b_', 'acme_live_1234567'].map((value): [NodeJS.ProcessEnv, string] => [
      { IMPORT_PREFIXES: `acme_,${value}` },
      'IMPORT_PREFIXES entry 2 must be 3 to 16 visible ASCII characters other than " \' < > \\',
    ]),
    [{ IMPORT_PREFIXES: 'lk_live_' }, 'IMPORT_PREFIXES entry 1 must not begin as our own keys do: lk_'],
    [
      { KEY_PREFIX: 'acme', IMPORT_PREFIXES: 'acm' },
      'IMPORT_PREFIXES entry 1 must not begin as our own keys do: acme_',
    ],
    [{ IMPORT_PREFIXES: 'abc,'.repeat(11) }, 'IMPORT_PREFIXES must have at most 10 entries'],
    ...['proxy.example.org', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0/8', 'true'].map(
      (value): [NodeJS.ProcessEnv, string] => [
        { TRUSTED_PROXIES: `::1,${value}` },
        'TRUSTED_PROXIES entry 2 must be an IP address, a range such as 10.0.0.0/8, loopback, linklocal or uniquelocal',
      ],
    ),
    ...['0', '65', 'auto', '2.0'].map((value): [NodeJS.ProcessEnv, string] => [
      { WORKERS: value },
      'WORKERS must be a whole number from 1 to 64',
    ]),
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent'],
    ...['0', '1.5', '36501', 'for ever'].map((value): [NodeJS.ProcessEnv, string] => [
      { AUDIT_RETENTION_DAYS: value },
      'AUDIT_RETENTION_DAYS must be a whole number from 1 to 36500',
    ]),
    [{ DEMO: 'yes' }, 'DEMO must be on or off'],
    [{ PUBLIC_URL: 'keys.example.org' }, 'PUBLIC_URL must be a URL that starts with http:// or https://'],
    [{ PUBLIC_URL: 'ftp://x' }, 'PUBLIC_URL must be a URL that starts with http:// or https://'],
  ])('stops the start if it is invalid: %j', (env, problem) => expect(problems(env)).toEqual([problem]));

  test('is reported together with all other invalid ones', () => {
    const wrong = { HTTP_PORT: 'x', KEY_PREFIX: 'X', LOG_LEVEL: 'x', REDIS_URL: 'x', RATE_LIMIT_BURST: 'x' };
    expect(
      problems(wrong)
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(Object.keys(wrong).sort());
  });

  test('is reported in one line if it has several mistakes', () => {
    expect(problems({ SERVICE_TOKENS: 'a,b,c' })).toEqual(['SERVICE_TOKENS entry 1 must read name:role:sha256-hex']);
  });

  test('is never printed if it is invalid', () => {
    const names = ['HTTP_PORT', 'GRPC_PORT', 'PUBLIC_URL', 'DATABASE_URL', 'REDIS_URL', 'KEY_PREFIX', 'SERVICE_TOKENS'];
    const more = [
      'RATE_LIMIT_PER_SECOND',
      'RATE_LIMIT_BURST',
      'SESSION_JWKS_URL',
      'GRPC_TLS_CERT',
      'DEMO',
      'WORKERS',
      'LOG_LEVEL',
    ];
    const audit = ['AUDIT_SEAL_KEY', 'AUDIT_RETENTION_DAYS'];
    const all = [
      ...names,
      ...more,
      ...audit,
      'TRUSTED_PROXIES',
      'FORWARD_AUTH_ROUTES',
      'GRPC_TLS_KEY',
      'GRPC_TLS_CLIENT_CA',
      'GRPC_TLS_CLIENT_ROLES',
    ];
    const lines = problems(Object.fromEntries(all.map((name) => [name, 'S3cret,a:S3cret:S3cret,S3cret:S3cret'])));
    expect(lines.length).toBeGreaterThanOrEqual(all.length);
    expect(lines.join('\n')).not.toContain('S3cret');
  });
});

describe('SERVICE_TOKENS', () => {
  test('may contain a name twice, for two tokens or for two roles', () => {
    const tokens = [`a:validator:${hex('1')}`, ` a:validator:${hex('2').toUpperCase()} `, `a:accounts:${hex('1')}`];
    expect(read({ SERVICE_TOKENS: tokens.join(',') }).serviceTokens).toEqual([
      { name: 'a', role: 'validator', digest: Buffer.from(hex('1'), 'hex') },
      { name: 'a', role: 'validator', digest: Buffer.from(hex('2'), 'hex') },
      { name: 'a', role: 'accounts', digest: Buffer.from(hex('1'), 'hex') },
    ]);
  });

  test('name the service account that an issuer is for', () => {
    const tokens = [`a:issuer/bot:${hex('1')}`, `a:issuer/*:${hex('1')}`];
    expect(read({ SERVICE_TOKENS: tokens.join(',') }).serviceTokens).toMatchObject([
      { name: 'a', role: 'issuer', issuesFor: 'bot' },
      { name: 'a', role: 'issuer', issuesFor: '*' },
    ]);
    expect(parseClientRoles('spiffe://example.com/ci:issuer/bot')).toEqual({
      name: 'spiffe://example.com/ci',
      role: 'issuer',
      issuesFor: 'bot',
    });
    expect(read({ DEMO: 'on' }).serviceTokens.map(({ role }) => role)).not.toContain('issuer');
  });

  test.each([
    ['token', 'must read name:role:sha256-hex'],
    [`:validator:${hex('1')}`, 'must read name:role:sha256-hex'],
    [`a:validator`, 'must read name:role:sha256-hex'],
    [`a:b:validator:${hex('1')}`, 'must read name:role:sha256-hex'],
    [`${'n'.repeat(65)}:validator:${hex('1')}`, 'must read name:role:sha256-hex'],
    [`a:validator:the-token-itself`, "must end in the 64 hex digits of its token's SHA-256"],
    [`a:validator:${hex('1')}0`, "must end in the 64 hex digits of its token's SHA-256"],
    [`a:admin:${hex('1')}`, 'must name one of the roles validator, accounts, importer, issuer, reporter'],
    [`a::${hex('1')}`, 'must name one of the roles validator, accounts, importer, issuer, reporter'],
    [
      `a:issuer:${hex('1')}`,
      'must say for which service account the issuer makes keys: issuer/<account id>, or issuer/* for all',
    ],
    [
      `a:issuer/:${hex('1')}`,
      'must say for which service account the issuer makes keys: issuer/<account id>, or issuer/* for all',
    ],
    [
      `a:issuer/b/c:${hex('1')}`,
      'must say for which service account the issuer makes keys: issuer/<account id>, or issuer/* for all',
    ],
    [`a:accounts/b:${hex('1')}`, 'must have no account: only the role issuer has one'],
  ])('names an invalid entry by its number: %j', (entry, problem) => {
    const good = `a:validator:${hex('1')}`;
    expect(problems({ SERVICE_TOKENS: `${good},${entry}` })).toEqual([`SERVICE_TOKENS entry 2 ${problem}`]);
  });
});

describe('the digest of a published token', () => {
  const published = ['dev-validator-token', 'dev-accounts-token', 'dev-reporter-token', 'foo', 'the token', ''].map(
    hex,
  );

  test.each(published)('is refused anywhere in SERVICE_TOKENS, in upper and lower case: %s', (digest) => {
    const SERVICE_TOKENS = `a:validator:${hex('1')},b:accounts:${digest.toUpperCase()}`;
    expect(problems({ SERVICE_TOKENS })).toEqual([
      'SERVICE_TOKENS entry 2 has the digest of a published example: make a token with `latchkey service-token create`',
    ]);
  });

  test('is accepted with demo values, which are public too', () => {
    const SERVICE_TOKENS = published.map((digest) => `a:validator:${digest}`).join(',');
    expect(read({ SERVICE_TOKENS, DEMO: '1' }).serviceTokens).toHaveLength(published.length);
  });

  test('does not occur in the documentation', () => {
    const texts = ['.env.example', 'docs/configuration.md', 'docs/operate.md', 'README.md'];
    const found = texts.flatMap((path) => readFileSync(join(root, path), 'utf8').match(/\b[0-9a-f]{64}\b/gi) ?? []);
    expect(found).toEqual([]);
  });
});

describe('AUDIT_SEAL_KEY', () => {
  const bytes = Buffer.from(hex('some key') + hex('more'), 'hex');
  const other = Buffer.alloc(40, 7);
  const keysOf = (value: string) => read({ AUDIT_SEAL_KEY: value }).audit.sealKeys.map((key) => key.export());

  test('is read from hex and from base64', () => {
    expect(keysOf(bytes.toString('hex'))).toEqual([bytes]);
    expect(keysOf(bytes.toString('hex').toUpperCase())).toEqual([bytes]);
    expect(keysOf(bytes.toString('base64'))).toEqual([bytes]);
    expect(keysOf(bytes.toString('base64url'))).toEqual([bytes]);
    expect(keysOf(bytes.subarray(0, 32).toString('base64'))).toEqual([bytes.subarray(0, 32)]);
  });

  test('may contain several keys, newest first', () => {
    expect(keysOf(`${other.toString('base64')}, ${bytes.toString('hex')}`)).toEqual([other, bytes]);
  });

  test('is optional, but must contain a key if it is set', () => {
    expect([keysOf(''), read({}).audit.sealKeys]).toEqual([[], []]);
    expect(problems({ AUDIT_SEAL_KEY: ' , ' })).toEqual(['AUDIT_SEAL_KEY contains no key']);
  });

  test.each([
    ['one byte too few, in hex', bytes.subarray(0, 31).toString('hex')],
    ['one byte too few, in base64', bytes.subarray(0, 31).toString('base64')],
    ['a passphrase', 'correct horse battery staple correct horse battery staple'],
    ['a blank inside', `${bytes.toString('hex')} ${bytes.toString('hex')}`],
  ])('is refused with %s', (_, value) => {
    expect(problems({ AUDIT_SEAL_KEY: value })).toEqual([
      'AUDIT_SEAL_KEY entry 1 must be at least 32 random bytes in hex or base64, as from `openssl rand -hex 32`',
    ]);
    expect(problems({ AUDIT_SEAL_KEY: `${other.toString('hex')},${value}` })).toEqual([
      'AUDIT_SEAL_KEY entry 2 must be at least 32 random bytes in hex or base64, as from `openssl rand -hex 32`',
    ]);
  });

  test('is not printed with the configuration', () => {
    const config = read({ AUDIT_SEAL_KEY: bytes.toString('hex') });
    expect(JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true })).not.toContain(
      bytes.toString('hex').slice(0, 8),
    );
  });
});

describe('DEMO', () => {
  test('adds its service tokens unless others are given', () => {
    const { DATABASE_URL } = NEEDED;
    const names = ({ serviceTokens }: ReturnType<typeof readConfig>) => serviceTokens.map(({ name }) => name);
    expect(names(readConfig({ DATABASE_URL, DEMO: '1' }))).toEqual([
      'dev-validator',
      'dev-accounts',
      'dev-importer',
      'dev-reporter',
    ]);
    expect(names(read({ DEMO: '1' }))).toEqual(['gateway']);
    for (const DEMO of ['1', 'on']) expect(read({ DEMO, NODE_ENV: 'development' }).demo).toBe(true);
  });

  test('is refused with NODE_ENV=production', () => {
    expect(problems({ DEMO: '1', NODE_ENV: 'production' })).toEqual([
      'DEMO must not be on with NODE_ENV=production: demo passwords and tokens are public',
    ]);
    for (const DEMO of ['0', 'off']) expect(problems({ DEMO, NODE_ENV: 'production' })).toEqual([]);
  });
});

describe("the platform's own login", () => {
  const jwks = { SESSION_JWKS_URL: 'https://login/jwks', SESSION_JWT_ISSUER: 'i', SESSION_JWT_AUDIENCE: 'a' };

  test('needs a key set, an issuer and an audience', () => {
    const expected = { jwksUrl: 'https://login/jwks', issuer: 'i', audience: 'a' };
    expect(read(jwks).platformLogin).toEqual(expected);
    expect(problems({ SESSION_JWKS_URL: 'https://login/jwks' })).toEqual([
      'SESSION_JWT_ISSUER is missing: it is needed with SESSION_JWKS_URL',
      'SESSION_JWT_AUDIENCE is missing: it is needed with SESSION_JWKS_URL',
    ]);
    expect(problems({ ...jwks, SESSION_JWKS_URL: 'file:///jwks' })).toEqual([
      'SESSION_JWKS_URL must be a URL that starts with http:// or https://',
    ]);
    expect(problems({ SESSION_JWT_ISSUER: 'i' })).toEqual([
      'SESSION_JWKS_URL is missing: it is needed with SESSION_JWT_ISSUER',
    ]);
  });

  test('turns password sign-in off unless PASSWORD_SIGN_IN is on', () => {
    expect(read(jwks).passwordSignIn).toBe(false);
    expect(read({ ...jwks, PASSWORD_SIGN_IN: 'off' }).passwordSignIn).toBe(false);
    expect(read({ ...jwks, PASSWORD_SIGN_IN: 'on' }).passwordSignIn).toBe(true);
    expect(read({ PASSWORD_SIGN_IN: 'on' }).passwordSignIn).toBe(true);
  });

  test('confirms with a sign-in of the configured age and strength', () => {
    const rule = { CONFIRMATION_MAX_AGE_SECONDS: '60', CONFIRMATION_ACR_VALUES: 'urn:example:gold, phr' };
    expect(read({ ...jwks, ...rule }).freshSignIn).toEqual({
      maxAgeSeconds: 60,
      acrValues: ['urn:example:gold', 'phr'],
    });
    expect(problems({ CONFIRMATION_MAX_AGE_SECONDS: '0', CONFIRMATION_ACR_VALUES: 'gold,a "b"' })).toEqual([
      'CONFIRMATION_MAX_AGE_SECONDS must be a whole number from 1 to 86400',
      'CONFIRMATION_ACR_VALUES entry 2 must be 1 to 255 visible ASCII characters without spaces, quotes and backslashes',
    ]);
  });

  test('is required when PASSWORD_SIGN_IN is off', () => {
    expect(problems({ PASSWORD_SIGN_IN: 'off' })).toEqual([
      'PASSWORD_SIGN_IN must not be off without SESSION_JWKS_URL or OIDC_ISSUER: nobody could sign in',
    ]);
    expect(problems({ ...jwks, PASSWORD_SIGN_IN: '1' })).toEqual(['PASSWORD_SIGN_IN must be one of on, off']);
  });

  test.each(['http://login.example.com/jwks', 'http://10.0.0.7/jwks', 'http://127.0.0.1.example.com/jwks'])(
    'must serve its keys over https: %s stops the start',
    (url) => {
      expect(problems({ ...jwks, SESSION_JWKS_URL: url })).toEqual([
        'SESSION_JWKS_URL must start with https://, unless it is on a loopback address',
      ]);
    },
  );

  test.each(['SESSION_JWKS_URL', 'OIDC_ISSUER'])(
    'must be named without a password, with which no request of it could be made: %s',
    (name) => {
      for (const user of ['u:geheim@', ':geheim@', 'u@']) {
        const found = problems({ [name]: `https://${user}login.example.com/` });
        expect(found).toContain(`${name} must not contain a user or a password`);
        expect(found?.join()).not.toContain('geheim');
      }
    },
  );

  test.each(['http://localhost:8080/jwks', 'http://127.0.0.1/jwks', 'http://[::1]/jwks'])(
    'may use http on a loopback address: %s',
    (url) => expect(problems({ ...jwks, SESSION_JWKS_URL: url })).toEqual([]),
  );
});

describe.each(['HELP_URL', 'DOCS_URL'] as const)('%s', (name) => {
  const shown = (env: NodeJS.ProcessEnv) => {
    const { helpUrl, docsUrl } = read(env);
    return name === 'HELP_URL' ? helpUrl : docsUrl;
  };

  test('is a URL that a browser can open', () => {
    expect(shown({ [name]: 'https://docs.example.com/api?x=1' })).toBe('https://docs.example.com/api?x=1');
    for (const url of ['docs.example.com', 'javascript:alert(1)']) {
      expect(problems({ [name]: url })).toEqual([expect.stringMatching(new RegExp(`^${name} must`))]);
    }
  });
});

describe("the platform's OpenID provider", () => {
  const oidc = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'latchkey', OIDC_CLIENT_SECRET: 'secret' };

  test('needs a client and turns password sign-in off', () => {
    expect(read(oidc)).toMatchObject({
      oidc: {
        issuer: 'https://login.example.com',
        clientId: 'latchkey',
        clientSecret: 'secret',
        scopes: 'openid email',
        accountClaim: 'sub',
        endsProviderSession: false,
      },
      passwordSignIn: false,
    });
    expect(problems({ OIDC_ISSUER: oidc.OIDC_ISSUER })).toEqual([
      'OIDC_CLIENT_ID is missing: it is needed with OIDC_ISSUER',
      'OIDC_CLIENT_SECRET is missing: it is needed with OIDC_ISSUER',
    ]);
    expect(problems({ OIDC_CLIENT_ID: 'latchkey' })).toEqual([
      'OIDC_ISSUER is missing: it is needed with OIDC_CLIENT_ID',
    ]);
  });

  test('must use https unless it is on a loopback address', () => {
    expect(read({ ...oidc, OIDC_ISSUER: 'http://localhost:9000/realm' }).oidc?.issuer).toBe(
      'http://localhost:9000/realm',
    );
    for (const issuer of ['http://login.example.com', 'http://127.0.0.1.example.com']) {
      expect(problems({ ...oidc, OIDC_ISSUER: issuer })).toEqual([
        'OIDC_ISSUER must start with https://, unless it is on a loopback address',
      ]);
    }
  });

  test('keeps its session at a sign-out, unless OIDC_SIGN_OUT says otherwise', () => {
    expect(read({ ...oidc, OIDC_SIGN_OUT: 'provider' }).oidc?.endsProviderSession).toBe(true);
    expect(read({ ...oidc, OIDC_SIGN_OUT: 'here' }).oidc?.endsProviderSession).toBe(false);
    expect(problems({ ...oidc, OIDC_SIGN_OUT: 'both' })).toEqual(['OIDC_SIGN_OUT must be one of here, provider']);
  });

  test('must be called with the scope openid', () => {
    expect(read({ ...oidc, OIDC_SCOPES: 'openid profile', OIDC_ACCOUNT_CLAIM: 'oid' }).oidc).toMatchObject({
      scopes: 'openid profile',
      accountClaim: 'oid',
    });
    expect(problems({ ...oidc, OIDC_SCOPES: 'email,openid' })).toEqual([
      'OIDC_SCOPES must be scopes separated by spaces, and include openid',
    ]);
  });
});

describe('TLS for gRPC', () => {
  const tls = { GRPC_TLS_CERT: pem, GRPC_TLS_KEY: pem };
  const mtls = { ...tls, GRPC_TLS_CLIENT_CA: pem, GRPC_TLS_CLIENT_ROLES: 'spiffe://acme/gateway:validator' };

  test('accepts a certificate with its key, and client certificates', () => {
    expect(read(tls).grpcTls).toEqual({ certFile: pem, keyFile: pem, clientCaFile: undefined, clientRoles: [] });
    expect(read(mtls).grpcTls).toMatchObject({
      clientCaFile: pem,
      clientRoles: [{ name: 'spiffe://acme/gateway', role: 'validator' }],
    });
  });

  test('needs no service tokens if there are client certificates', () => {
    expect(problems({ ...mtls, SERVICE_TOKENS: '' })).toEqual([]);
    expect(problems({ ...tls, SERVICE_TOKENS: '' })).toHaveLength(1);
  });

  test.each<[string, NodeJS.ProcessEnv, string[]]>([
    ['a certificate alone', { GRPC_TLS_CERT: pem }, ['GRPC_TLS_KEY is missing: it is needed with GRPC_TLS_CERT']],
    ['a key alone', { GRPC_TLS_KEY: pem }, ['GRPC_TLS_CERT is missing: it is needed with GRPC_TLS_KEY']],
    ['a CA alone', { GRPC_TLS_CLIENT_CA: pem }, ['GRPC_TLS_CERT is missing: it is needed with GRPC_TLS_CLIENT_CA']],
    [
      'roles without a CA',
      { ...tls, GRPC_TLS_CLIENT_ROLES: 'a:validator' },
      ['GRPC_TLS_CLIENT_CA is missing: it is needed with GRPC_TLS_CLIENT_ROLES'],
    ],
    [
      'a missing file',
      { ...tls, GRPC_TLS_KEY: join(folder, 'none') },
      ["GRPC_TLS_KEY names a file that can't be read (ENOENT)"],
    ],
    [
      'an entry without a name',
      { ...mtls, GRPC_TLS_CLIENT_ROLES: 'a:validator,:validator' },
      ['GRPC_TLS_CLIENT_ROLES entry 2 must read <SAN or CN>:<role>'],
    ],
    [
      'an entry with another role',
      { ...mtls, GRPC_TLS_CLIENT_ROLES: 'a:root' },
      ['GRPC_TLS_CLIENT_ROLES entry 1 must name one of the roles validator, accounts, importer, issuer'],
    ],
    [
      'an entry with a role that does not call over gRPC',
      { ...mtls, GRPC_TLS_CLIENT_ROLES: 'a:reporter' },
      ['GRPC_TLS_CLIENT_ROLES entry 1 must name one of the roles validator, accounts, importer, issuer'],
    ],
  ])('stops the start with %s', (_what, env, expected) => expect(problems(env)).toEqual(expected));
});

test('an IPv6 host is written into a URL with brackets', () => {
  expect(['127.0.0.1', 'db.example.org', '::1'].map(urlHost)).toEqual(['127.0.0.1', 'db.example.org', '[::1]']);
});

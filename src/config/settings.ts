import { MAX_RATE, MAX_ACTIVE_KEYS, MAX_KEY_DAYS } from '#domain/accounts/entitlements.js';
import { actionOf, newPermissionProblem } from '#domain/accounts/permission.js';
import { CREDENTIAL_FORMS, type CredentialForm } from '#domain/keys/credential.js';
import { importPrefixProblem, MAX_IMPORT_PREFIXES } from '#domain/keys/imported-key.js';
import { KEY_PREFIX as MARKER } from '#domain/keys/key-string.js';
import { LEAST_LEASE_MS, MAX_LEASE_MS } from '#domain/keys/lease.js';
import { IDLE_DAYS } from '#domain/notices/idle-keys.js';
import { readDemo } from './demo.js';
import { parseAcr, parseDays, parseSealKey, parseWebhookSecret, readDatabaseUrls, parsePermission } from './entries.js';
import { EnvReader } from './env-reader.js';
import { parseForwardAuthRoute } from './forward-auth-routes.js';
import { hasUser, isPrivateUrl, parseOrigin, parseProxy, placeOf } from './network-config.js';
import { readRedis } from './redis-config.js';
import { nameAndRole, parseClientRoles, readServiceTokens } from './service-roles.js';
import {
  file,
  jsonFile,
  jsonLists,
  list,
  onOrOff,
  oneOf,
  secureUrl,
  Setting,
  text,
  textOr,
  url,
  wholeNumber,
} from './setting.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const PORTS = [0, 65_535] as const;

const KEY_PREFIX = textOr('lk', {
  means: 'the marker, `[a-z][a-z0-9]{0,15}`; fixed once keys are stored',
  problem: (marker) => (MARKER.test(marker) ? undefined : 'must match [a-z][a-z0-9]{0,15}'),
});

/**
 * One row for each variable that the service reads. `npm run generate` writes the tables of docs/configuration.md,
 * .env.example, docker-compose.yml, and the chart's values and schema from these rows.
 */
// oxfmt-ignore
export const SETTINGS = {
  HTTP_PORT: wholeNumber(3000, PORTS, { means: 'port of the settings screen and the HTTP API' }),
  GRPC_PORT: wholeNumber(50_051, PORTS, { means: 'port of gRPC' }),
  SERVICES_PORT: wholeNumber(undefined, PORTS, { like: '3080',
    means: 'port of [the services as JSON](api.md#grpc), with TLS and client certificates as for gRPC' }),
  HOST: textOr('127.0.0.1', { means: 'address to listen on' }),
  PUBLIC_URL: url({ or: 'host and port', like: 'https://keys.example.com',
    means: 'URL for browsers, for links and the allowed `Origin`; https makes cookies `Secure`' }),
  ALLOWED_ORIGINS: list(parseOrigin, { like: 'https://app.example.com',
    means: 'other origins whose pages may manage keys with a platform JWT' }),
  API_EXAMPLE_URL: url({ like: 'https://api.example.com/v1/systems',
    means: "what the settings screen's examples call" }),
  HELP_URL: url({ like: 'https://help.example.com/api-keys', means: 'page for people who need help, linked on the settings screen' }),
  DOCS_URL: url({ like: 'https://docs.example.com/api', means: 'page about the use of a key, linked on the settings screen' }),
  TRUSTED_PROXIES: list(parseProxy, { like: '10.0.0.0/8',
    means: 'addresses or networks of [proxies](#behind-a-proxy) whose `X-Forwarded-*` count' }),
  FORWARD_AUTH_ROUTES: jsonFile(parseForwardAuthRoute, { like: '/etc/latchkey/routes.json',
    means: 'JSON file: [what a key may do at a proxy](edge.md#routes-and-permissions)' }),
  EXT_AUTHZ_ROUTES: onOrOff(
    '`on`: `FORWARD_AUTH_ROUTES` decides for [ext_authz](edge.md#routes-and-permissions) too, if the gateway names no `permission`', ['FORWARD_AUTH_ROUTES']),
  EDGE_PORT: wholeNumber(undefined, PORTS, { like: '3100', needs: ['FORWARD_AUTH_ROUTES'],
    means: 'port of the [edge door](edge.md#the-edge-door); needs `FORWARD_AUTH_ROUTES`' }),
  CREDENTIALS: new Setting<readonly CredentialForm[]>(readCredentialForms, { like: 'bearer,x-api-key,basic',
    means: 'where a request at a proxy may [carry its key](edge.md#where-a-key-may-stand): `bearer`, `x-api-key`, `basic`' }, 'bearer'),
  METRICS_PORT: wholeNumber(undefined, PORTS, { like: '9464',
    means: 'separate port of `/metrics`, `/livez` and `/readyz`; `HTTP_PORT` then has no `/metrics`' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({ like: 'http://127.0.0.1:4318', inLog: (target) => (target === undefined ? 'off' : 'on'),
    means: 'receiver of [traces](operate.md#traces), by OTLP/HTTP; other `OTEL_*` variables count too' }),
  DATABASE_URL: new Setting(readDatabaseUrls, { isSecret: true, inLog: (urls) => urls.map(placeOf).join(' '),
    or: 'embedded, with `npm start`', like: 'postgresql://latchkey:secret@db.example.com/latchkey',
    means: 'PostgreSQL 14 or newer; or [several hosts](operate.md#high-availability)' }),
  DATABASE_PATIENCE_MS: wholeNumber(120, [20, 60_000], {
    means: "milliseconds of [one statement of a validation](#how-long-a-validation-waits), 20 to 60,000" }),
  DATABASE_POOLING: oneOf('session', ['session', 'transaction'], { like: 'transaction',
    means: '`transaction` through [PgBouncer](operate.md#through-pgbouncer)' }),
  READ_BARRIER: onOrOff('`on`: answers [wait for a synchronous standby](operate.md#never-stale-nothing-lost)'),
  REQUIRE_SYNCHRONOUS: onOrOff('`on`: without a synchronous standby, changes are UNAVAILABLE'),
  REDIS_URL: new Setting(readRedis, { isSecret: true, inLog: (redis) => redis?.place, like: 'redis://redis.example.com:6379',
    means: '[rate limits of all processes](operate.md#redis): `redis://…`, `rediss://…`, `redis+cluster://one:6379,two:6379` or `redis+sentinel://one:26379,two:26379/name`; none: limits count per process' }),
  KEY_PREFIX,
  IMPORT_PREFIXES: list(parseImportPrefix, { like: 'acme_live_,acme_test_', 
    problem: ({ length }) => (length > MAX_IMPORT_PREFIXES ? `must have at most ${MAX_IMPORT_PREFIXES} entries` : undefined),
    means: 'how imported keys begin: up to 10, each of 3 to 16 characters' }),
  RATE_LIMIT_PER_SECOND: wholeNumber(20, [1, MAX_RATE], { means: 'validations a second for each key (GCRA)' }),
  RATE_LIMIT_BURST: wholeNumber(100, [1, MAX_RATE], { means: 'validations at once for each key' }),
  LEASE_MS: wholeNumber(0, [0, MAX_LEASE_MS], { range: [LEAST_LEASE_MS, MAX_LEASE_MS], 
    problem: (ms) => (ms > 0 && ms < LEAST_LEASE_MS ? `must be 0, or at least ${LEAST_LEASE_MS}` : undefined),
    means: 'milliseconds of a [lease](leases.md), 100 to 2,000; 0: none. Set it once every instance and command line runs 0.3.0' }),
  INTROSPECTION_EXP: onOrOff(
    '`on`: [token introspection](api.md#token-introspection-rfc-7662) answers `exp`; some clients grant a revoked key until then'),
  KEY_CHANGES_PER_HOUR: wholeNumber(60, [0, 10_000], {
    means: 'keys that an account may create or rotate in an hour, to 10,000; 0: no limit' }),
  MAX_ACTIVE_KEYS: wholeNumber(5, [1, MAX_ACTIVE_KEYS], {
    means: 'active keys of an account, to 100, unless [its own limit](keys.md#limits-of-an-account) differs' }),
  MAX_KEY_DAYS: wholeNumber(MAX_KEY_DAYS, [1, MAX_KEY_DAYS], {
    means: "days that a new key may last, to 365; [an account's own limit](keys.md#limits-of-an-account) may be lower" }),
  PERSONAL_KEYS: oneOf('on', ['on', 'off'], { like: 'off',
    means: '`off`: [new keys](keys.md#limits-of-an-account) only for service accounts; set it once every instance runs 0.3.0' }),
  REVOKE_IDLE_AFTER_DAYS: wholeNumber(undefined, [IDLE_DAYS.least, IDLE_DAYS.most], { or: 'never', like: '90',
    means: 'days without use after which [keys end](keys.md#keys-that-nobody-uses), 14 to 365; needs `WEBHOOK_URL` or `SMTP_URL`' }),
  ADMIN_PERMISSION: text({ like: 'api-keys:administer', problem: adminPermissionProblem,
    means: 'permission of [administrators](accounts.md#administrators); its action is neither `read` nor `write`' }),
  SERVICE_TOKENS: new Setting(readServiceTokens, { isSecret: true, inLog: (tokens) => tokens.map(nameAndRole),
    or: 'demo only', like: 'systems-api:validator:<sha256-hex of its token>',
    means: '`name:role:sha256-hex` of each [service identity](#service-identities). Required without `DEMO=on`, unless `GRPC_TLS_CLIENT_ROLES` names a client' }),
  SESSION_JWKS_URL: secureUrl({ like: 'https://login.example.com/.well-known/jwks.json', needs: ['SESSION_JWT_ISSUER', 'SESSION_JWT_AUDIENCE'],
    means: "signing keys of your [platform's login](accounts.md#sign-in-at-your-login), by https or loopback" }),
  SESSION_JWT_ISSUER: text({ like: 'https://login.example.com', needs: ['SESSION_JWKS_URL'],
    means: "issuer of its JWTs; required with `SESSION_JWKS_URL`" }),
  SESSION_JWT_AUDIENCE: text({ like: 'latchkey', needs: ['SESSION_JWKS_URL'],
    means: "audience of its JWTs; required with `SESSION_JWKS_URL`" }),
  OIDC_ISSUER: secureUrl({ like: 'https://login.example.com', needs: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
    means: '[OpenID provider](accounts.md#the-settings-screen) of the settings screen: register `<PUBLIC_URL>/v1/session/oidc/callback` there' }),
  OIDC_CLIENT_ID: text({ like: 'latchkey', needs: ['OIDC_ISSUER'], means: 'the registered client; required with `OIDC_ISSUER`' }),
  OIDC_CLIENT_SECRET: text({ isSecret: true, needs: ['OIDC_ISSUER'], means: "its secret; required with `OIDC_ISSUER`" }),
  OIDC_SCOPES: textOr('openid email', { means: 'scopes of the request, separated by spaces',
    problem: (all) => (all.split(' ').includes('openid') ? undefined : 'must be scopes separated by spaces, and include openid') }),
  OIDC_ACCOUNT_CLAIM: textOr('sub', { means: "claim with the account's id; `email` counts only with `email_verified`" }),
  OIDC_SIGN_OUT: oneOf('here', ['here', 'provider'], { like: 'provider',
    means: '`provider`: a sign-out ends the session there too' }),
  SIGN_IN_OPENS_ACCOUNTS: onOrOff(
    '`on`: a first sign-in [opens an account](accounts.md#accounts-that-come-with-the-sign-in); set it once every instance runs 0.3.0', ['OIDC_ISSUER']),
  SIGN_IN_PERMISSIONS: new Setting((env, name): readonly string[] => env.entries(name, (env.text(name) ?? '').split(' ').filter(Boolean), parsePermission), {
    like: 'systems:read', means: 'what each of them gets, separated by spaces' }),
  SIGN_IN_ROLES: jsonLists(parsePermission, { like: '/etc/latchkey/roles.json',
    means: 'JSON file with the permissions of each role; nobody without one of these roles gets an account' }),
  SIGN_IN_ROLES_CLAIM: text({ like: '/realm_access/roles',
    means: "claim with a person's roles, in the ID token or else from UserInfo: a name, or a JSON Pointer with `/`" }),
  PASSWORD_SIGN_IN: oneOf<'on' | 'off', undefined>(undefined, ['on', 'off'], { or: '[`on` or `off`](accounts.md#sign-in-at-your-login)', like: 'off',
    means: 'sign-in and confirmation by a Latchkey password; off by default with `SESSION_JWKS_URL` or `OIDC_ISSUER`' }),
  CONFIRMATION_MAX_AGE_SECONDS: wholeNumber(300, [1, 86_400], {
    means: 'maximum age of a sign-in that [confirms](api.md#sessions) a creation' }),
  CONFIRMATION_ACR_VALUES: list(parseAcr, { or: 'any', like: 'phr', means: '`acr` values that are strong enough for that' }),
  GRPC_TLS_CERT: file({ like: '/etc/latchkey/tls.crt', needs: ['GRPC_TLS_KEY'], means: 'PEM file with the certificate of gRPC, read again every minute' }),
  GRPC_TLS_KEY: file({ like: '/etc/latchkey/tls.key', needs: ['GRPC_TLS_CERT'], means: 'PEM file with its key' }),
  GRPC_TLS_CLIENT_CA: file({ like: '/etc/latchkey/clients.crt', needs: ['GRPC_TLS_CERT'], means: "mTLS: PEM file with the clients' authority" }),
  GRPC_TLS_CLIENT_ROLES: list(parseClientRoles, { like: 'systems-api.internal:validator', needs: ['GRPC_TLS_CLIENT_CA'], inLog: (roles) => roles.map(nameAndRole),
    means: 'mTLS: `<SAN or CN>:<role>` of each client' }),
  GRPC_PLAINTEXT: onOrOff('`on`: no warning at a start without TLS: a mesh encrypts gRPC, or only this machine reaches it'),
  SMTP_URL: url({ isSecret: true, needs: ['MAIL_FROM'], like: 'smtps://latchkey:secret@mail.example.com',
    means: 'server of [mail](notices.md#mail) to owners: `smtps://…`, or `smtp://…` with STARTTLS' }, ['smtp:', 'smtps:']),
  MAIL_FROM: text({ like: 'Example Keys <keys@example.com>', needs: ['SMTP_URL'], means: 'sender of these mails; required with `SMTP_URL`' }),
  EXPIRY_NOTICE_DAYS: new Setting(readNoticeDays, {
    means: 'days before a key expires on which its [owner is notified](notices.md); set and empty: never' }, '30,7,1'),
  WORKERS: wholeNumber(1, [1, 64], { means: 'processes that share the ports, 1 to 64; above 1 set `REDIS_URL` too' }),
  AUDIT_SEAL_KEY: list(parseSealKey, { isSecret: true, problem: ({ length }) => (length === 0 ? 'contains no key' : undefined),
    means: '[seals](audit.md#seals) events: 32 random bytes or more, hex or base64 (`openssl rand -hex 32`); several: newest first' }),
  AUDIT_RETENTION_DAYS: wholeNumber(undefined, [1, 36_500], { or: 'no limit', like: '400', means: 'days that audit events are kept' }),
  WEBHOOK_URL: url({ like: 'https://platform.example.com/latchkey-webhooks', needs: ['WEBHOOK_SECRET'], means: 'receiver of [webhooks](notices.md#webhooks)', problem: webhookUrlProblem,
    inLog: (receiver = '') => (URL.canParse(receiver) ? new URL(receiver).origin : undefined) }),
  WEBHOOK_SECRET: list(parseWebhookSecret, { isSecret: true, needs: ['WEBHOOK_URL'], problem: ({ length }) => (length === 0 ? 'contains no secret' : undefined),
    means: 'signs webhooks: `echo "whsec_$(openssl rand -base64 32)"`; to [replace](notices.md#replacing-the-secret-moving-the-receiver) it set both' }),
  DEMO: new Setting(readDemo, { inLog: (isDemo) => (isDemo ? 'on' : 'off'),
    means: '`on`: the demo owner (an administrator where `ADMIN_PERMISSION` is set) and tokens, which everybody knows; refused with `NODE_ENV=production`. `npm start` with the embedded database on a loopback address sets it' }, 'off'),
  LOG_LEVEL: oneOf('info', LOG_LEVELS, {
    means: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`; `debug` logs [why calls are refused](operate.md#why-was-it-refused)' }),
  SLOW_VALIDATION_MS: wholeNumber(100, [0, 60_000], {
    means: 'milliseconds until a validation is [logged as slow](operate.md#where-the-time-of-a-validation-goes), to 60,000; 0: none' }),
  NODE_ENV: text({ like: 'production',
    means: '`production` refuses demo values; the image sets it, `docker-compose.yml` sets `development`' }),
};

/** What only `npm start` and `docker compose` read. */
// oxfmt-ignore
export const LAUNCHER_SETTINGS = {
  SYSTEMS_API_PORT: wholeNumber(4000, PORTS, { means: 'reference resource service of `npm start`' }),
  DATA_DIR: textOr('.latchkey', { means: "folder of the embedded database" }),
  POSTGRES_PASSWORD: text({ or: 'for development', like: 'development-only', means: "`docker compose`: PostgreSQL's password" }),
  COMPOSE_SUBNET: text({ or: 'for development', like: '172.30.99.0/24', means: "`docker compose`: the containers' network" }),
  PATRONI_RESTAPI_PASSWORD: text({ isSecret: true, or: '`POSTGRES_PASSWORD`',
    means: "`docker-compose.failover.yml`: for commands to Patroni's API, as the user `patroni`" }),
  LATCHKEY_SERVICE_TOKEN: text({ or: "the demo's", like: 'dev-validator-token', means: "`docker compose`: its resource service's token" }),
  TLS_CERT: text({ like: './tls.crt', means: '`docker-compose.production.yml`: PEM file with the certificate for `PUBLIC_URL`' }),
  TLS_KEY: text({ like: './tls.key', means: '`docker-compose.production.yml`: PEM file with its key' }),
};

type Rows = typeof SETTINGS;
type ValueOf<Name extends keyof Rows> = Rows[Name] extends Setting<infer Value> ? Value : never;

/** The environment, read by the rows above. */
export class Settings extends EnvReader {
  get<Name extends keyof Rows>(name: Name): ValueOf<Name> {
    return SETTINGS[name].valueIn(this, name) as ValueOf<Name>;
  }

  /** Reports each variable without which another one makes no sense. */
  requireNeeded(): void {
    for (const [name, { facts }] of Object.entries(SETTINGS)) {
      const value = this.text(name);
      if (value === undefined || value === 'off') continue;
      const missing = facts.needs?.filter((needed) => this.text(needed) === undefined) ?? [];
      for (const needed of missing) this.missing(needed, `with ${name}${value === 'on' ? '=on' : ''}`);
    }
  }
}

function parseImportPrefix(prefix: string, env: EnvReader): string {
  const problem = importPrefixProblem(prefix, KEY_PREFIX.valueIn(env, 'KEY_PREFIX'));
  if (problem) throw new Error(problem);
  return prefix;
}

function readCredentialForms(reader: EnvReader, name: string): readonly CredentialForm[] {
  const forms = reader.list(name, (word): CredentialForm => {
    const form = CREDENTIAL_FORMS.find((known) => known === word);
    if (!form) throw new Error(`must be one of ${CREDENTIAL_FORMS.join(', ')}`);
    return form;
  });
  return [...new Set<CredentialForm>(forms ?? ['bearer'])];
}

/** Its action is one that no key can ever have. */
function adminPermissionProblem(permission = ''): string | undefined {
  if (['read', 'write'].includes(actionOf(permission))) return 'must have an action other than read and write';
  return newPermissionProblem(permission);
}

function webhookUrlProblem(receiver = ''): string | undefined {
  if (hasUser(receiver)) return 'must not contain a user or a password: the signature proves the sender';
  if (!/^http:/i.test(receiver) || !URL.canParse(receiver) || isPrivateUrl(receiver)) return undefined;
  return 'must start with https:// where its host is public: names of keys would cross the Internet unencrypted';
}

function readNoticeDays(reader: EnvReader, name: string): readonly number[] {
  if (reader.env[name]?.trim() === '') return [];
  const days = reader.list(name, parseDays) ?? [30, 7, 1];
  if (new Set(days).size < days.length) reader.wrong(name, 'must not contain a number twice');
  return days;
}

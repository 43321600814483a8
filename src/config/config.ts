import { MAX_RATE, MOST_ACTIVE_KEYS, MOST_KEY_DAYS } from '../domain/accounts/account-limits.js';
import type { ServicePolicy } from '../domain/keys/key-policy.js';
import { actionOf, newPermissionProblem } from '../domain/accounts/permission.js';
import { importPrefixProblem, MAX_IMPORT_PREFIXES } from '../domain/keys/foreign-key.js';
import { KEY_PREFIX } from '../domain/keys/key-string.js';
import { LEAST_LEASE_MS, MOST_LEASE_MS } from '../domain/keys/lease.js';
import { IDLE_DAYS } from '../domain/notices/idle-keys.js';
import { readDatabase } from './database-config.js';
import { readDemo } from './demo.js';
import { EnvReader } from './env-reader.js';
import { parseForwardAuthRoute } from './forward-auth-routes.js';
import { readGrpcPlaintext, readGrpcTls } from './grpc-tls-config.js';
import { ownOrigins, parseOrigin, parseProxy, urlHost } from './network-config.js';
import { readNoticeReceivers, readNotices } from './notices/notices-config.js';
import { readPublicUrl } from './public-url.js';
import { readRedis } from './redis-config.js';
import { readSealKeys } from './seal-keys.js';
import { readServiceTokens } from './service-tokens.js';
import { readFreshSignIn, readOidc, readPasswordSignIn, readPlatformLogin } from './sign-in-config.js';

export type Config = Readonly<ReturnType<typeof readSettings>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** One line for each missing or invalid variable. Values are never printed, because some are secrets. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const reader = new EnvReader(env);
  const config = readSettings(reader);
  if (!config.demo) reader.warnOfMisspelt();
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return Object.freeze(config);
}

function readSettings(reader: EnvReader) {
  const host = reader.text('HOST') ?? '127.0.0.1';
  const httpPort = reader.port('HTTP_PORT', 3000);
  const demo = readDemo(reader);
  const platformLogin = readPlatformLogin(reader);
  const grpcTls = readGrpcTls(reader);
  const grpcPlaintext = readGrpcPlaintext(reader, { host, isSafe: demo || grpcTls !== undefined });
  const serviceTokens = readServiceTokens(reader, demo);
  if (serviceTokens.length === 0 && !grpcTls?.clientRoles.length) {
    const orDemo = reader.text('NODE_ENV') === 'production' ? '' : '; or set DEMO=on, to try Latchkey with public ones';
    reader.wrong('SERVICE_TOKENS', `is missing: name:role:sha256-hex of each token, comma-separated${orDemo}`);
  }
  const publicUrl = readPublicUrl(reader, demo, { host, httpPort });
  return {
    host,
    httpPort,
    grpcPort: reader.port('GRPC_PORT', 50051),
    /** Undefined: metrics are served on `httpPort`. */
    metricsPort: reader.wholeNumber('METRICS_PORT', undefined, 65_535, 0),
    /** Without a trailing slash. */
    publicUrl,
    /** The origins of our own pages, in every spelling. */
    ownOrigins: ownOrigins(publicUrl, httpPort),
    /** Other origins whose pages may manage keys here, with a token of the platform's own login. */
    crossOrigins: reader.list('ALLOWED_ORIGINS', parseOrigin) ?? [],
    trustedProxies: reader.list('TRUSTED_PROXIES', parseProxy) ?? [],
    database: readDatabase(reader),
    redis: readRedis(reader),
    ...readMarkers(reader),
    rateLimit: {
      perSecond: reader.wholeNumber('RATE_LIMIT_PER_SECOND', 20, MAX_RATE),
      burst: reader.wholeNumber('RATE_LIMIT_BURST', 100, MAX_RATE),
    },
    /** How long a guard may grant the requests of a key by itself. 0: it may not. */
    leaseMs: readLeaseMs(reader),
    /** How many keys an account may make in an hour, by creation or rotation. 0: no limit. */
    keyChangesPerHour: reader.wholeNumber('KEY_CHANGES_PER_HOUR', 60, 10_000, 0),
    keyPolicy: readKeyPolicy(reader),
    /** Who has it sees and ends the keys of all owners. Undefined: nobody does. */
    adminPermission: readAdminPermission(reader),
    serviceTokens,
    platformLogin,
    oidc: readOidc(reader),
    /** Whether people may sign in, and confirm, with a password of ours. */
    passwordSignIn: readPasswordSignIn(reader),
    /** Which sign-in at the platform confirms in place of a password. */
    freshSignIn: readFreshSignIn(reader),
    grpcTls,
    grpcPlaintext,
    audit: {
      /** Newest first. Empty: events are not sealed. */
      sealKeys: readSealKeys(reader),
      /** Undefined: events are kept forever. */
      retentionDays: reader.wholeNumber('AUDIT_RETENTION_DAYS', undefined, 36_500),
    },
    ...readNotices(reader),
    /** What may be requested through a proxy. The first match counts. Undefined: nothing. */
    forwardAuthRoutes: reader.jsonFile('FORWARD_AUTH_ROUTES', parseForwardAuthRoute),
    demo,
    /** What the settings screen's examples call. Undefined: they have a placeholder. */
    exampleUrl: reader.url('API_EXAMPLE_URL', ['http:', 'https:']) ?? exampleUrl(reader, demo, host),
    /** Whether introspection answers when a key expires. */
    introspectionExp: reader.onOrOff('INTROSPECTION_EXP'),
    /** The page that the settings screen links to for help. */
    helpUrl: reader.url('HELP_URL', ['http:', 'https:']),
    /** The page that it links to for how to use a key. */
    docsUrl: reader.url('DOCS_URL', ['http:', 'https:']),
    /** How many processes share the ports. */
    workers: reader.wholeNumber('WORKERS', 1, 64),
    logLevel: reader.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    /** A validation that takes longer is logged with the time of each part. 0: none is. */
    slowValidationMs: reader.wholeNumber('SLOW_VALIDATION_MS', 100, 60_000, 0),
    /** Whether spans are sent. The SDK reads the target itself. */
    traces: reader.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']) !== undefined,
    /** One line for each dangerous but permitted setting, for the log of the start. */
    warnings: reader.warnings as readonly string[],
  };
}

/** How keys begin: ours, and those that were imported from other systems. */
export function readMarkers(reader: EnvReader) {
  const keyPrefix = reader.matching('KEY_PREFIX', 'lk', KEY_PREFIX, 'must match [a-z][a-z0-9]{0,15}');
  const prefixes = reader.list('IMPORT_PREFIXES', (prefix) => {
    const problem = importPrefixProblem(prefix, keyPrefix);
    if (problem) throw new Error(problem);
    return prefix;
  });
  const importPrefixes: readonly string[] = prefixes ?? [];
  const most = MAX_IMPORT_PREFIXES;
  if (importPrefixes.length > most) reader.wrong('IMPORT_PREFIXES', `must have at most ${most} entries`);
  return { keyPrefix, importPrefixes };
}

function readLeaseMs(reader: EnvReader): number {
  const leaseMs = reader.wholeNumber('LEASE_MS', 0, MOST_LEASE_MS, 0);
  const isTooShort = leaseMs > 0 && leaseMs < LEAST_LEASE_MS;
  if (isTooShort) reader.wrong('LEASE_MS', `must be 0, or at least ${LEAST_LEASE_MS}`);
  return leaseMs;
}

/** What new keys of every account may have, which an account's own limits may replace, and when keys end as idle. */
export function readKeyPolicy(reader: EnvReader): ServicePolicy {
  return {
    maxActiveKeys: reader.wholeNumber('MAX_ACTIVE_KEYS', 5, MOST_ACTIVE_KEYS),
    maxKeyDays: reader.wholeNumber('MAX_KEY_DAYS', MOST_KEY_DAYS, MOST_KEY_DAYS),
    revokeIdleAfterDays: readIdleDays(reader),
  };
}

/** Undefined also without a receiver: no key ends without a notice. */
function readIdleDays(reader: EnvReader): number | undefined {
  const days = reader.wholeNumber('REVOKE_IDLE_AFTER_DAYS', undefined, IDLE_DAYS.most, IDLE_DAYS.least);
  const { webhook, mail } = readNoticeReceivers(reader);
  if (days === undefined || webhook || mail) return days;
  reader.warn(
    'REVOKE_IDLE_AFTER_DAYS',
    'ends no key: neither WEBHOOK_URL nor SMTP_URL is set, so nobody gets a notice',
  );
  return undefined;
}

/** Its action is one that no key can ever have. */
function readAdminPermission(reader: EnvReader): string | undefined {
  const permission = reader.text('ADMIN_PERMISSION');
  if (permission === undefined) return undefined;
  const isOfKeys = ['read', 'write'].includes(actionOf(permission));
  const problem = isOfKeys ? 'must have an action other than read and write' : newPermissionProblem(permission);
  if (problem) reader.wrong('ADMIN_PERMISSION', problem);
  return permission;
}

/** With demo values: the URL of the reference resource service, which runs in the demo too. */
function exampleUrl(reader: EnvReader, demo: boolean, host: string): string | undefined {
  if (!demo) return undefined;
  return `http://${urlHost(host)}:${reader.port('SYSTEMS_API_PORT', 4000)}/backend/api/systems`;
}

import { readFileSync } from 'node:fs';
import type { ServicePolicy } from '#domain/keys/key-policy.js';
import type { NoticeReceivers } from '#domain/notices/key-notice.js';
import { readDatabase } from './database-config.js';
import { readGrpcPlaintext, readGrpcTls } from './grpc-tls-config.js';
import { readMail } from './mail-config.js';
import { isLoopbackUrl, isPrivateUrl, ownOrigins, urlHost } from './network-config.js';
import { LAUNCHER_SETTINGS, SETTINGS, Settings } from './settings.js';
import { readOidc, readPasswordSignIn, readPlatformLogin, readSignInRules } from './sign-in-config.js';

export type Config = Readonly<ReturnType<typeof configOf>>;

/** One line for each missing or invalid variable. Values are never printed, because some are secrets. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const settings = new Settings(env);
  settings.requireNeeded();
  const config = configOf(settings);
  if (!config.demo) settings.warnOfMisspelt(Object.keys(SETTINGS));
  if (settings.problems.length > 0) throw new ConfigError(settings.problems);
  return Object.freeze(config);
}

/** What each variable means is in the table of settings. */
function configOf(settings: Settings) {
  const host = settings.get('HOST');
  const httpPort = settings.get('HTTP_PORT');
  const demo = settings.get('DEMO');
  const platformLogin = readPlatformLogin(settings);
  const grpcTls = readGrpcTls(settings);
  const grpcPlaintext = readGrpcPlaintext(settings, { host, isSafe: demo || grpcTls !== undefined });
  const serviceTokens = settings.get('SERVICE_TOKENS');
  if (serviceTokens.length === 0 && !grpcTls?.clientRoles.length) {
    const isProduction = settings.get('NODE_ENV') === 'production';
    const orDemo = isProduction ? '' : '; or set DEMO=on, to try Latchkey with public ones';
    settings.wrong('SERVICE_TOKENS', `is missing: name:role:sha256-hex of each token, comma-separated${orDemo}`);
  }
  const webhookUrl = settings.get('WEBHOOK_URL');
  const publicUrl = readPublicUrl(settings, demo, `http://${urlHost(host)}:${httpPort}`);
  return {
    host,
    httpPort,
    grpcPort: settings.get('GRPC_PORT'),
    /** Undefined: the services are not served as JSON over HTTP. */
    servicesPort: settings.get('SERVICES_PORT'),
    /** Undefined: metrics are served on `httpPort`. */
    metricsPort: settings.get('METRICS_PORT'),
    /** Without a trailing slash. */
    publicUrl,
    /** The origins of our own pages, in every spelling. */
    ownOrigins: ownOrigins(publicUrl, httpPort),
    crossOrigins: settings.get('ALLOWED_ORIGINS'),
    trustedProxies: settings.get('TRUSTED_PROXIES'),
    database: readDatabase(settings),
    redis: settings.get('REDIS_URL'),
    ...readMarkers(settings),
    rateLimit: { perSecond: settings.get('RATE_LIMIT_PER_SECOND'), burst: settings.get('RATE_LIMIT_BURST') },
    leaseMs: settings.get('LEASE_MS'),
    keyChangesPerHour: settings.get('KEY_CHANGES_PER_HOUR'),
    keyPolicy: readKeyPolicy(settings),
    /** Undefined: there are no administrators. */
    adminPermission: settings.get('ADMIN_PERMISSION'),
    serviceTokens,
    platformLogin,
    oidc: readOidc(settings),
    passwordSignIn: readPasswordSignIn(settings),
    freshSignIn: {
      maxAgeSeconds: settings.get('CONFIRMATION_MAX_AGE_SECONDS'),
      acrValues: settings.get('CONFIRMATION_ACR_VALUES'),
    },
    signInRules: readSignInRules(settings),
    grpcTls,
    grpcPlaintext,
    audit: {
      /** Newest first. Empty: events are not sealed. */
      sealKeys: settings.get('AUDIT_SEAL_KEY'),
      /** Undefined: events are kept forever. */
      retentionDays: settings.get('AUDIT_RETENTION_DAYS'),
    },
    noticeReceivers: readNoticeReceivers(settings),
    /** Each of the secrets signs every webhook, so that one can be replaced without a gap. */
    webhook: webhookUrl === undefined ? undefined : { url: webhookUrl, secrets: settings.get('WEBHOOK_SECRET') },
    mail: readMail(settings),
    expiryNoticeDays: settings.get('EXPIRY_NOTICE_DAYS'),
    /** The first match counts. Undefined: no request may pass a proxy. */
    forwardAuthRoutes: settings.get('FORWARD_AUTH_ROUTES'),
    /** Whether they decide where a route of Envoy names no permission. */
    extAuthzRoutes: settings.get('EXT_AUTHZ_ROUTES'),
    /** Undefined: there is no edge door. */
    edgePort: settings.get('EDGE_PORT'),
    /** Where a request at a proxy may carry its key. */
    credentials: settings.get('CREDENTIALS'),
    demo,
    /** Undefined: the settings screen's examples have a placeholder. */
    exampleUrl: settings.get('API_EXAMPLE_URL') ?? (demo ? demoExampleUrl(settings, host) : undefined),
    introspectionExp: settings.get('INTROSPECTION_EXP'),
    helpUrl: settings.get('HELP_URL'),
    docsUrl: settings.get('DOCS_URL'),
    workers: settings.get('WORKERS'),
    logLevel: settings.get('LOG_LEVEL'),
    slowValidationMs: settings.get('SLOW_VALIDATION_MS'),
    /** Whether spans are sent. The SDK reads the target itself. */
    traces: settings.get('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined,
    /** One line for each dangerous but permitted setting, for the log of the start. */
    warnings: settings.warnings as readonly string[],
    /** The settings that readers of the log may see, by variable. */
    shown: settings.shown as Readonly<Record<string, unknown>>,
  };
}

/** How keys begin: ours, and those that were imported from other systems. */
export function readMarkers(settings: Settings) {
  return { keyPrefix: settings.get('KEY_PREFIX'), importPrefixes: settings.get('IMPORT_PREFIXES') };
}

/** Which receivers are configured. Checks nothing else, for the command line, which writes notices but sends none. */
export function readNoticeReceivers(settings: Settings): NoticeReceivers {
  return { webhook: settings.text('WEBHOOK_URL') !== undefined, mail: settings.text('SMTP_URL') !== undefined };
}

/** What new keys of every account may have, which an account's own limits may replace, and when keys end as idle. */
export function readKeyPolicy(settings: Settings): ServicePolicy {
  return {
    maxActiveKeys: settings.get('MAX_ACTIVE_KEYS'),
    maxKeyDays: settings.get('MAX_KEY_DAYS'),
    personalKeys: settings.get('PERSONAL_KEYS') === 'on',
    revokeIdleAfterDays: readIdleDays(settings),
  };
}

/** Undefined also without a receiver: no key ends without a notice. */
function readIdleDays(settings: Settings): number | undefined {
  const days = settings.get('REVOKE_IDLE_AFTER_DAYS');
  const { webhook, mail } = readNoticeReceivers(settings);
  if (days === undefined || webhook || mail) return days;
  const effect = 'ends no key: neither WEBHOOK_URL nor SMTP_URL is set, so nobody gets a notice';
  settings.warn('REVOKE_IDLE_AFTER_DAYS', effect);
  return undefined;
}

/** @param own the address of `HOST` and `HTTP_PORT` */
function readPublicUrl(settings: Settings, demo: boolean, own: string): string {
  const url = settings.get('PUBLIC_URL');
  if (url === undefined) {
    if (!demo) settings.warn('PUBLIC_URL', `is missing: browsers may sign in only at ${own}`);
    settings.shown['PUBLIC_URL'] = own;
    return own;
  }
  const plain = url.replace(/\/+$/, '');
  if (!URL.canParse(url)) return plain;
  const { protocol, pathname, search, hash, username } = new URL(url);
  if (/[^/]/.test(pathname) || search || hash || username) {
    settings.wrong('PUBLIC_URL', 'must have nothing after its host and port: Latchkey answers at the root of a host');
  }
  if (isLoopbackUrl(url)) return plain;
  if (demo) settings.warn('DEMO', `is on at ${plain}: its passwords and tokens are public. Set DEMO=off in production`);
  if (demo || protocol !== 'http:') return plain;
  const danger = 'passwords, session cookies and new keys would cross the network unencrypted';
  if (isPrivateUrl(url)) settings.warn('PUBLIC_URL', `is http: ${danger}`);
  else settings.wrong('PUBLIC_URL', `must start with https:// where its host is public: ${danger}`);
  return plain;
}

/** The URL of the reference resource service, which runs in the demo too. */
function demoExampleUrl(settings: Settings, host: string): string {
  const port = LAUNCHER_SETTINGS.SYSTEMS_API_PORT.valueIn(settings, 'SYSTEMS_API_PORT');
  return `http://${urlHost(host)}:${port}/backend/api/systems`;
}

/** The version of this Latchkey, from its package.json. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

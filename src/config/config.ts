import { KEY_PREFIX } from '../domain/keys/key-string.js';
import type { SealKeys } from '../domain/audit/audit-seal.js';
import type { FreshSignInRule } from '../domain/accounts/fresh-sign-in.js';
import type { RateLimit } from '../domain/rate-limit.js';
import { type DatabaseConfig, readDatabase } from './database-config.js';
import { readDemo } from './demo.js';
import { EnvReader } from './env-reader.js';
import { parseForwardAuthRoute, type ForwardAuthRoute } from './forward-auth-routes.js';
import { type GrpcTlsConfig, readGrpcTls } from './grpc-tls-config.js';
import { ownOrigins, parseOrigin, parseProxy, urlHost } from './network-config.js';
import { type NoticesConfig, readNotices } from './notices/notices-config.js';
import { readPublicUrl } from './public-url.js';
import { type RedisConfig, readRedis } from './redis-config.js';
import { readSealKeys } from './seal-keys.js';
import {
  type OidcConfig,
  type PlatformLoginConfig,
  readFreshSignIn,
  readOidc,
  readPasswordSignIn,
  readPlatformLogin,
} from './sign-in-config.js';
import type { ServiceToken } from './service-roles.js';
import { readServiceTokens } from './service-tokens.js';

interface AuditConfig {
  /** Newest first. Empty: events are not sealed. */
  readonly sealKeys: SealKeys;
  /** Undefined: events are kept forever. */
  readonly retentionDays: number | undefined;
}

export interface Config extends NoticesConfig {
  readonly host: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Undefined: metrics are served on `httpPort`. */
  readonly metricsPort: number | undefined;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** The origins of our own pages, in every spelling. */
  readonly ownOrigins: readonly string[];
  /** Other origins whose pages may manage keys here, with a token of the platform's own login. */
  readonly crossOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly database: DatabaseConfig;
  readonly redis: RedisConfig | undefined;
  readonly keyPrefix: string;
  readonly rateLimit: RateLimit;
  readonly serviceTokens: readonly ServiceToken[];
  readonly platformLogin: PlatformLoginConfig | undefined;
  readonly oidc: OidcConfig | undefined;
  /** Whether people may sign in, and confirm, with a password of ours. */
  readonly passwordSignIn: boolean;
  /** Which sign-in at the platform confirms in place of a password. */
  readonly freshSignIn: FreshSignInRule;
  readonly grpcTls: GrpcTlsConfig | undefined;
  readonly audit: AuditConfig;
  /** What may be requested through a proxy. The first match counts. Undefined: nothing. */
  readonly forwardAuthRoutes: readonly ForwardAuthRoute[] | undefined;
  readonly demo: boolean;
  /** The URL in the settings screen's ready-made curl line. */
  readonly exampleUrl: string;
  /** The page that the settings screen links to for help. */
  readonly helpUrl: string | undefined;
  /** How many processes share the ports. */
  readonly workers: number;
  readonly logLevel: string;
  /** A validation that takes longer is explained in the log. 0: none is. */
  readonly slowValidationMs: number;
  /** Whether spans are sent. The SDK reads the target itself. */
  readonly traces: boolean;
  /** One line for each dangerous but permitted setting, for the log of the start. */
  readonly warnings: readonly string[];
}

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
  const host = reader.text('HOST') ?? '127.0.0.1';
  const httpPort = reader.port('HTTP_PORT', 3000);
  const demo = readDemo(reader);
  const platformLogin = readPlatformLogin(reader);
  const grpcTls = readGrpcTls(reader);
  const serviceTokens = readServiceTokens(reader, demo);
  if (serviceTokens.length === 0 && !grpcTls?.clientRoles.length) {
    reader.wrong('SERVICE_TOKENS', 'is missing: name:role:sha256-hex of each token, comma-separated');
  }
  const publicUrl = readPublicUrl(reader, demo, { host, httpPort });
  const config: Config = {
    host,
    httpPort,
    grpcPort: reader.port('GRPC_PORT', 50051),
    metricsPort: reader.wholeNumber('METRICS_PORT', undefined, 65_535, 0),
    publicUrl,
    ownOrigins: ownOrigins(publicUrl, httpPort),
    crossOrigins: reader.list('ALLOWED_ORIGINS', parseOrigin) ?? [],
    trustedProxies: reader.list('TRUSTED_PROXIES', parseProxy) ?? [],
    database: readDatabase(reader),
    redis: readRedis(reader),
    keyPrefix: reader.matching('KEY_PREFIX', 'lk', KEY_PREFIX, 'must match [a-z][a-z0-9]{0,15}'),
    rateLimit: {
      perSecond: reader.wholeNumber('RATE_LIMIT_PER_SECOND', 20, 1_000_000),
      burst: reader.wholeNumber('RATE_LIMIT_BURST', 100, 1_000_000),
    },
    serviceTokens,
    platformLogin,
    oidc: readOidc(reader),
    passwordSignIn: readPasswordSignIn(reader),
    freshSignIn: readFreshSignIn(reader),
    grpcTls,
    audit: {
      sealKeys: readSealKeys(reader),
      retentionDays: reader.wholeNumber('AUDIT_RETENTION_DAYS', undefined, 36_500),
    },
    ...readNotices(reader),
    forwardAuthRoutes: reader.jsonFile('FORWARD_AUTH_ROUTES', parseForwardAuthRoute),
    demo,
    exampleUrl: reader.url('API_EXAMPLE_URL', ['http:', 'https:']) ?? exampleUrl(reader, demo, host),
    helpUrl: reader.url('HELP_URL', ['http:', 'https:']),
    workers: reader.wholeNumber('WORKERS', 1, 64),
    logLevel: reader.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    slowValidationMs: reader.wholeNumber('SLOW_VALIDATION_MS', 100, 60_000, 0),
    traces: reader.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']) !== undefined,
    warnings: reader.warnings,
  };
  if (!demo) reader.warnOfMisspelt();
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return Object.freeze(config);
}

/** With demo values: the URL of the reference resource service, which runs in the demo too. */
function exampleUrl(reader: EnvReader, demo: boolean, host: string): string {
  if (!demo) return 'https://api.example.com/v1/systems';
  return `http://${urlHost(host)}:${reader.port('SYSTEMS_API_PORT', 4000)}/backend/api/systems`;
}

import { readFileSync } from 'node:fs';
import type { Config } from './config.js';
import { urlHost } from './network-config.js';

/**
 * The settings that readers of the log may see, by variable. Of URLs only the place, of secrets only the number. Lists
 * the fields one by one, so that no new secret is shown by accident.
 */
export function shownSettings(config: Config): Readonly<Record<string, unknown>> {
  const { database, platformLogin, oidc, grpcTls, freshSignIn, audit, webhook, mail } = config;
  return {
    HOST: config.host,
    HTTP_PORT: config.httpPort,
    GRPC_PORT: config.grpcPort,
    METRICS_PORT: config.metricsPort,
    PUBLIC_URL: place(config.publicUrl),
    HELP_URL: place(config.helpUrl),
    DOCS_URL: place(config.docsUrl),
    ALLOWED_ORIGINS: config.crossOrigins,
    TRUSTED_PROXIES: config.trustedProxies,
    API_EXAMPLE_URL: place(config.exampleUrl),
    DATABASE_URL: database.urls.map(place).join(' '),
    DATABASE_PATIENCE_MS: database.timeoutMs,
    DATABASE_POOLING: database.pooling,
    READ_BARRIER: onOrOff(database.readBarrier),
    REQUIRE_SYNCHRONOUS: onOrOff(database.requireSynchronous),
    REDIS_URL: config.redis?.place,
    FORWARD_AUTH_ROUTES: config.forwardAuthRoutes?.length,
    INTROSPECTION_EXP: onOrOff(config.introspectionExp),
    KEY_PREFIX: config.keyPrefix,
    IMPORT_PREFIXES: config.importPrefixes,
    RATE_LIMIT_PER_SECOND: config.rateLimit.perSecond,
    RATE_LIMIT_BURST: config.rateLimit.burst,
    LEASE_MS: config.leaseMs,
    KEY_CHANGES_PER_HOUR: config.keyChangesPerHour,
    MAX_ACTIVE_KEYS: config.keyPolicy.maxActiveKeys,
    MAX_KEY_DAYS: config.keyPolicy.maxKeyDays,
    REVOKE_IDLE_AFTER_DAYS: config.keyPolicy.revokeIdleAfterDays,
    ADMIN_PERMISSION: config.adminPermission,
    SERVICE_TOKENS: config.serviceTokens.map(({ name, role }) => `${name}:${role}`),
    SESSION_JWKS_URL: place(platformLogin?.jwksUrl),
    SESSION_JWT_ISSUER: platformLogin?.issuer,
    SESSION_JWT_AUDIENCE: platformLogin?.audience,
    OIDC_ISSUER: place(oidc?.issuer),
    OIDC_CLIENT_ID: oidc?.clientId,
    OIDC_CLIENT_SECRET: oidc && 1,
    OIDC_SCOPES: oidc?.scopes,
    OIDC_ACCOUNT_CLAIM: oidc?.accountClaim,
    OIDC_SIGN_OUT: oidc && (oidc.endsProviderSession ? 'provider' : 'here'),
    PASSWORD_SIGN_IN: onOrOff(config.passwordSignIn),
    CONFIRMATION_MAX_AGE_SECONDS: freshSignIn.maxAgeSeconds,
    CONFIRMATION_ACR_VALUES: freshSignIn.acrValues,
    GRPC_TLS_CERT: grpcTls?.certFile,
    GRPC_TLS_KEY: grpcTls?.keyFile,
    GRPC_TLS_CLIENT_CA: grpcTls?.clientCaFile,
    GRPC_TLS_CLIENT_ROLES: grpcTls?.clientRoles.map(({ name, role }) => `${name}:${role}`),
    GRPC_PLAINTEXT: onOrOff(config.grpcPlaintext),
    AUDIT_SEAL_KEY: audit.sealKeys.length,
    AUDIT_RETENTION_DAYS: audit.retentionDays,
    WEBHOOK_URL: webhook && new URL(webhook.url).origin,
    WEBHOOK_SECRET: webhook?.secrets.length,
    SMTP_URL: mail && `${mail.smtp.secure ? 'smtps' : 'smtp'}://${urlHost(mail.smtp.host)}:${mail.smtp.port}`,
    MAIL_FROM: mail?.from.address,
    EXPIRY_NOTICE_DAYS: config.expiryNoticeDays,
    WORKERS: config.workers,
    DEMO: onOrOff(config.demo),
    OTEL_EXPORTER_OTLP_ENDPOINT: onOrOff(config.traces),
    LOG_LEVEL: config.logLevel,
    SLOW_VALIDATION_MS: config.slowValidationMs,
  };
}

/** Without user, password, query and a lone slash. */
function place(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

function onOrOff(isOn: boolean): 'on' | 'off' {
  return isOn ? 'on' : 'off';
}

/** The version of this Latchkey, from its package.json. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

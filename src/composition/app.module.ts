import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { HealthImplementation } from 'grpc-health-check';
import type { DataSource } from 'typeorm';
import { ChangeAccountStatus } from '../application/accounts/change-account-status.js';
import { CreateApiKey } from '../application/keys/create-api-key.js';
import { GetAccount } from '../application/accounts/get-account.js';
import { IdentifyOwner } from '../application/sessions/identify-owner.js';
import { ListApiKeys } from '../application/keys/list-api-keys.js';
import { ListAuditEvents } from '../application/audit/list-audit-events.js';
import { PasswordCheck } from '../application/sessions/password-check.js';
import * as ports from '../application/ports.js';
import { PruneAuditEvents } from '../application/audit/prune-audit-events.js';
import { PutAccount } from '../application/accounts/put-account.js';
import { RevokeApiKey } from '../application/keys/revoke-api-key.js';
import { SealAuditEvents } from '../application/audit/seal-audit-events.js';
import { SignIn } from '../application/sessions/sign-in.js';
import { SignOut } from '../application/sessions/sign-out.js';
import { SweepExpiries } from '../application/keys/sweep-expiries.js';
import { ValidateKey } from '../application/keys/validate-key.js';
import type { Config } from '../config/config.js';
import { AuditSealer } from '../infrastructure/inbound/clock/audit-sealer.js';
import { Argon2Passwords } from '../infrastructure/outbound/passwords/argon2-passwords.js';
import { Hashing } from '../infrastructure/outbound/passwords/hashing.js';
import { JwksPlatformTokens } from '../infrastructure/outbound/platform-login/jwks-platform-tokens.js';
import { AccountController } from '../infrastructure/inbound/grpc/accounts/account.controller.js';
import { EnvoyAuthorization } from '../infrastructure/inbound/grpc/envoy/envoy-authorization.js';
import { OpenStreams } from '../infrastructure/inbound/grpc/validation/open-streams.js';
import { RateLimitWindow } from '../infrastructure/inbound/grpc/validation/rate-limit-window.js';
import { ValidationService } from '../infrastructure/inbound/grpc/validation/validation-service.js';
import { ApiKeysController } from '../infrastructure/inbound/http/management/api-keys.controller.js';
import { AuditEventsController } from '../infrastructure/inbound/http/management/audit-events.controller.js';
import { SessionCookie } from '../infrastructure/inbound/http/management/cookies.js';
import { IntrospectionController } from '../infrastructure/inbound/http/introspection/introspection.controller.js';
import { ForwardAuthController } from '../infrastructure/inbound/http/forward-auth/forward-auth.controller.js';
import { ForwardAuth } from '../infrastructure/inbound/http/forward-auth/forward-auth.js';
import { OperationsController } from '../infrastructure/inbound/http/operations/operations.controller.js';
import { SessionController } from '../infrastructure/inbound/http/management/session.controller.js';
import { SettingsPage } from '../infrastructure/inbound/http/pages/settings-page.js';
import { KeyAnswers } from '../infrastructure/inbound/shared/key-answers.js';
import { Log } from '../infrastructure/telemetry/log.js';
import { MemoryRateLimiter } from '../infrastructure/outbound/memory/memory-rate-limiter.js';
import { PostgresAccounts } from '../infrastructure/outbound/postgres/accounts/accounts.js';
import { PostgresApiKeys } from '../infrastructure/outbound/postgres/keys/api-keys.js';
import { PostgresAudit } from '../infrastructure/outbound/postgres/audit/postgres-audit.js';
import { PostgresAuditTrail } from '../infrastructure/outbound/postgres/audit/audit-trail.js';
import { Database } from '../infrastructure/outbound/postgres/connection/database.js';
import { PostgresHousekeeping } from '../infrastructure/outbound/postgres/accounts/housekeeping.js';
import { PostgresKeyReader } from '../infrastructure/outbound/postgres/keys/key-reader.js';
import { PostgresLastUse } from '../infrastructure/outbound/postgres/keys/last-use.js';
import { PostgresPasswordGuesses } from '../infrastructure/outbound/postgres/accounts/password-guesses.js';
import { PostgresSessions } from '../infrastructure/outbound/postgres/accounts/sessions.js';
import { Readiness } from '../infrastructure/inbound/shared/readiness.js';
import { RedisRateLimiter } from '../infrastructure/outbound/redis/redis-rate-limiter.js';
import { ServiceIdentity } from '../infrastructure/inbound/shared/service-identity.js';
import { GrpcRequestTimes } from '../infrastructure/telemetry/request-times.js';
import { Traces } from '../infrastructure/telemetry/traces.js';
import { telemetryProviders } from './telemetry.js';

const CONTROLLERS = [
  AccountController,
  SessionController,
  ApiKeysController,
  AuditEventsController,
  IntrospectionController,
  ForwardAuthController,
  OperationsController,
];

/** The one composition root: every port gets its adapter here, every use case its ports. */
@Module({})
export class AppModule {
  static with(config: Config, dataSource: DataSource, log: Log, traces: Traces): DynamicModule {
    const providers = [
      ...adapters(config, dataSource, log, traces),
      ...useCases(config),
      ...edges(config, log),
      ...telemetryProviders(traces),
    ];
    return { module: AppModule, controllers: CONTROLLERS, providers };
  }
}

function adapters(config: Config, dataSource: DataSource, log: Log, traces: Traces): Provider[] {
  const { databaseUrl, redisUrl, rateLimit, platformLogin } = config;
  const database = new Database(dataSource);
  const local = new MemoryRateLimiter(rateLimit);
  const onRedis = (reason?: string) =>
    reason === undefined
      ? log.info('Redis is back: rate limits are shared again')
      : log.warn('Redis is away: rate limits go on per process', { reason });
  const onFlushError = (error: unknown) => log.fault(error);
  return [
    { provide: ports.KeyReader, useFactory: () => new PostgresKeyReader(databaseUrl, traces) },
    { provide: ports.Audit, useFactory: () => new PostgresAudit(databaseUrl, database, traces) },
    { provide: ports.AuditTrail, useFactory: () => new PostgresAuditTrail(database) },
    { provide: ports.ApiKeys, useFactory: () => new PostgresApiKeys(database) },
    { provide: ports.Accounts, useFactory: () => new PostgresAccounts(database) },
    { provide: ports.Sessions, useFactory: () => new PostgresSessions(database) },
    { provide: ports.PasswordGuesses, useFactory: () => new PostgresPasswordGuesses(database) },
    { provide: ports.LastUse, useFactory: () => new PostgresLastUse(database, onFlushError) },
    Hashing,
    { provide: ports.Passwords, useFactory: (hashing: Hashing) => new Argon2Passwords(hashing), inject: [Hashing] },
    {
      provide: ports.RateLimiter,
      useFactory: () => (redisUrl ? new RedisRateLimiter(redisUrl, rateLimit, local, onRedis, traces) : local),
    },
    {
      provide: ports.PlatformTokens,
      useFactory: () => (platformLogin ? new JwksPlatformTokens(platformLogin) : undefined),
    },
    { provide: PostgresHousekeeping, useFactory: () => new PostgresHousekeeping(database) },
  ];
}

const VALIDATION_PORTS = [
  ports.KeyReader,
  ports.RateLimiter,
  ports.ApiKeys,
  ports.LastUse,
  ports.Audit,
  ports.ValidationMeter,
];

function useCases({ keyPrefix, audit }: Config): Provider[] {
  return [
    provide(PasswordCheck, [ports.Passwords, ports.PasswordGuesses, ports.Audit]),
    provide(SignIn, [
      ports.Accounts,
      ports.Sessions,
      ports.Passwords,
      ports.PasswordGuesses,
      PasswordCheck,
      ports.Audit,
    ]),
    provide(SignOut, [ports.Sessions]),
    provide(IdentifyOwner, [ports.Sessions, ports.Accounts, ports.Audit, ports.PlatformTokens]),
    provide(CreateApiKey, [ports.Accounts, PasswordCheck], keyPrefix),
    provide(ListApiKeys, [ports.ApiKeys]),
    provide(RevokeApiKey, [ports.Accounts]),
    provide(ListAuditEvents, [ports.Audit]),
    provide(ValidateKey, VALIDATION_PORTS, keyPrefix),
    provide(PutAccount, [ports.Accounts, ports.Passwords]),
    provide(GetAccount, [ports.Accounts]),
    provide(ChangeAccountStatus, [ports.Accounts]),
    provide(SweepExpiries, [ports.ApiKeys]),
    provide(SealAuditEvents, [ports.AuditTrail], audit.sealKey),
    provide(PruneAuditEvents, [ports.AuditTrail], audit.sealKey, audit.retentionDays),
  ];
}

function edges(config: Config, log: Log): Provider[] {
  const { publicUrl, exampleUrl, rateLimit, serviceTokens, grpcTls, forwardAuthRoutes } = config;
  return [
    { provide: Log, useValue: log },
    { provide: HealthImplementation, useFactory: () => new HealthImplementation() },
    provide(Readiness, [ports.KeyReader, HealthImplementation]),
    OpenStreams,
    provide(AuditSealer, [SealAuditEvents, Log]),
    { provide: ServiceIdentity, useFactory: () => new ServiceIdentity(serviceTokens, grpcTls?.clientRoles ?? []) },
    { provide: RateLimitWindow, useFactory: () => new RateLimitWindow(rateLimit) },
    provide(ValidationService, [
      ValidateKey,
      ServiceIdentity,
      RateLimitWindow,
      OpenStreams,
      Log,
      GrpcRequestTimes,
      Traces,
    ]),
    { provide: KeyAnswers, useFactory: () => new KeyAnswers(rateLimit) },
    provide(EnvoyAuthorization, [ValidateKey, ServiceIdentity, KeyAnswers, Log]),
    provide(ForwardAuth, [ValidateKey, KeyAnswers, Log], forwardAuthRoutes),
    { provide: SettingsPage, useFactory: () => new SettingsPage(exampleUrl) },
    { provide: SessionCookie, useFactory: () => new SessionCookie(publicUrl) },
  ];
}

type Token = abstract new (...args: never[]) => unknown;

/** A class that knows no framework, built from the instances behind `tokens` and then `values`. */
function provide<T>(useClass: new (...args: never[]) => T, tokens: readonly Token[], ...values: unknown[]): Provider {
  return {
    provide: useClass,
    inject: [...tokens],
    useFactory: (...instances: unknown[]) => new useClass(...([...instances, ...values] as never[])),
  };
}

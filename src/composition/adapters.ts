import { ChangeWaits } from '#application/change-waits.js';
import { notifyOfNetworks, Addressees } from '#application/notices/notify-owners.js';
import type { Config } from '#config/config.js';
import { MailReceiver } from '#infrastructure/outbound/mail/mail-receiver.js';
import { MemoryRateLimiter } from '#infrastructure/outbound/memory/memory-rate-limiter.js';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { Hashing } from '#infrastructure/outbound/passwords/hashing.js';
import { JwksPlatformTokens } from '#infrastructure/outbound/platform-login/jwks-platform-tokens.js';
import { OidcPlatformLogin } from '#infrastructure/outbound/platform-login/oidc-platform-login.js';
import { PostgresHousekeeping } from '#infrastructure/outbound/postgres/housekeeping.js';
import { PostgresPasswordGuesses } from '#infrastructure/outbound/postgres/sign-in/password-guesses.js';
import { PostgresSessions, PostgresSpentSignIns } from '#infrastructure/outbound/postgres/sign-in/sessions.js';
import { PostgresStoredCosts } from '#infrastructure/outbound/postgres/sign-in/stored-costs.js';
import { PostgresAudit } from '#infrastructure/outbound/postgres/audit/postgres-audit.js';
import { Database } from '#infrastructure/outbound/postgres/client/database.js';
import type { Primary } from '#infrastructure/outbound/postgres/client/primary.js';
import type { SessionSource } from '#infrastructure/outbound/postgres/client/data-source.js';
import { SynchronousCommits } from '#infrastructure/outbound/postgres/client/standby.js';
import { PostgresKeyReader } from '#infrastructure/outbound/postgres/keys/key-reader.js';
import { PostgresLeakReports } from '#infrastructure/outbound/postgres/leaks/leak-reports.js';
import { PostgresKeyUsage } from '#infrastructure/outbound/postgres/usage/key-usage.js';
import { RedisRateLimiter } from '#infrastructure/outbound/redis/redis-rate-limiter.js';
import { WebhookReceiver } from '#infrastructure/outbound/webhooks/webhook-receiver.js';
import { ChangeTimes } from '#infrastructure/telemetry/request-times.js';
import { buildStores } from './stores.js';
import type { Telemetry } from './telemetry.js';

export type Adapters = ReturnType<typeof buildAdapters>;

/**
 * Every port and its adapter. All adapters in this list and in `buildStores` are opened, closed and measured.
 * @param passwords replaces the separate hashing process in tests
 */
export function buildAdapters(
  config: Config,
  primary: Primary,
  dataSource: SessionSource,
  { log, traces }: Pick<Telemetry, 'log' | 'traces'>,
  passwords?: Argon2Passwords,
) {
  const { redis, platformLogin, oidc, publicUrl, mail } = config;
  const database = new Database(dataSource);
  const stores = buildStores(database, config);
  const storedCosts = new PostgresStoredCosts(database);
  const changeTimes = new ChangeTimes();
  const localLimiter = new MemoryRateLimiter();
  const givesLeases = config.leaseMs > 0;
  const keyReader = new PostgresKeyReader(primary, traces, 'validation', givesLeases);
  return {
    primary,
    database,
    ...stores,
    keyReader,
    databaseClock: keyReader,
    importReader:
      config.importPrefixes.length > 0 ? new PostgresKeyReader(primary, traces, 'imports', givesLeases) : undefined,
    audit: new PostgresAudit(primary, database, traces),
    synchronousCommits: new SynchronousCommits(database, log, config.demo),
    webhookReceiver: config.webhook && new WebhookReceiver(config.webhook),
    mailReceiver: mail && new MailReceiver(mail, publicUrl, new Addressees(stores.accounts, stores.keys)),
    validationGate: stores.recordingGate.within(primary.config.timeoutMs),
    sessions: new PostgresSessions(database),
    storedCosts,
    spentSignIns: new PostgresSpentSignIns(database),
    guesses: new PostgresPasswordGuesses(database),
    leakReports: new PostgresLeakReports(database),
    usage: new PostgresKeyUsage({
      database,
      outbox: stores.outboxWriter,
      notifyOfNetworks,
      onError: (error) => log.fault(error),
    }),
    changeTimes,
    changeWaits: new ChangeWaits(stores.instances, changeTimes),
    housekeeping: new PostgresHousekeeping(database),
    passwords: passwords ?? new Argon2Passwords(new Hashing(), { readCosts: () => storedCosts.read() }),
    localLimiter,
    limiter: redis ? new RedisRateLimiter(redis, localLimiter, log, traces) : localLimiter,
    platformLogin:
      oidc &&
      new OidcPlatformLogin(
        oidc,
        { redirectUri: `${publicUrl}/v1/session/oidc/callback`, signedOutUri: `${publicUrl}/settings/api-keys` },
        log,
      ),
    platformTokens: platformLogin && new JwksPlatformTokens(platformLogin, log),
  };
}

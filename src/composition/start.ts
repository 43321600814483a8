import { alsoHide } from '#domain/secrets.js';
import { type Config, version } from '#config/config.js';
import { demoAccounts } from '#config/demo.js';
import { Clock } from '#infrastructure/inbound/clock/clock.js';
import type { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { openDatabase } from '#infrastructure/outbound/postgres/open-database.js';
import { Primary } from '#infrastructure/outbound/postgres/client/primary.js';
import { mergeByName } from '#infrastructure/telemetry/instrument.js';
import { buildAdapters } from './adapters.js';
import { openDemoAccount, refuseDemoPassword } from './demo-owner.js';
import { buildDoors } from './doors.js';
import { buildJobs } from './jobs.js';
import { Parts } from './parts.js';
import { openTelemetry } from './telemetry.js';
import { buildUseCases, type UseCases } from './use-cases.js';

export interface Latchkey {
  readonly useCases: UseCases;
  /** Accepts no new work, finishes the work under way, flushes and disconnects. */
  stop(): Promise<void>;
}

/**
 * Builds the service and opens its parts from the inside out. They are closed in reverse order.
 * @param passwords as in `buildAdapters`
 */
export async function startLatchkey(config: Config, passwords?: Argon2Passwords): Promise<Latchkey> {
  alsoHide(config.importPrefixes);
  const telemetry = await openTelemetry(config);
  const { log, validationTimes, metricsPage, refusals } = telemetry;
  const primary = new Primary(config.database, log);
  const dataSource = await openDatabase(primary, config.keyPrefix, {
    report: (line) => log.warn(line),
    deletesEvents: config.audit.retentionDays !== undefined,
  });
  const adapters = buildAdapters(config, primary, dataSource, telemetry, passwords);
  const useCases = buildUseCases(config, { ...adapters, meter: validationTimes, refusals });
  const { readiness, metricsListener, ...listeners } = await buildDoors(config, useCases, adapters, telemetry);
  const clock = new Clock(buildJobs(config, useCases, adapters, readiness, log), log);

  // Metrics and health open first and close last.
  const inside = new Parts({ ...telemetry, ...adapters, readiness, metricsListener });
  const doors = new Parts(listeners);
  metricsPage.add(...mergeByName([inside, doors, clock].flatMap((parts) => parts.instruments())));

  const stop = async (): Promise<void> => {
    await readiness.drain();
    await doors.closeTogether();
    await clock.close();
    await inside.close();
  };
  try {
    await inside.open();
    // The job tries again.
    await adapters.instances.renew(version(), config.leaseMs).catch((error: unknown) => log.fault(error));
    if (config.demo) {
      // oxlint-disable-next-line no-await-in-loop -- the first one manages the second
      for (const account of demoAccounts(config)) await openDemoAccount(useCases.putAccount, account);
    } else {
      await refuseDemoPassword(adapters.accounts, adapters.passwords);
    }
    await doors.open();
    await readiness.check();
    await clock.open();
    const { host, httpPort, grpcPort, servicesPort, metricsPort, edgePort, publicUrl } = config;
    log.info(`password sign-in is ${config.passwordSignIn ? 'on' : 'off'} (PASSWORD_SIGN_IN)`);
    const ports = { httpPort, grpcPort, servicesPort, metricsPort, edgePort };
    log.info('listening', { pid: process.pid, host, ...ports, publicUrl });
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  return { useCases, stop };
}

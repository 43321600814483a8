import 'reflect-metadata';
import type { Server } from '@grpc/grpc-js';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { HealthImplementation } from 'grpc-health-check';
import { AppModule } from './app.module.js';
import { Audit, KeyReader, LastUse, Passwords, RateLimiter } from '../application/ports.js';
import { PruneAuditEvents } from '../application/audit/prune-audit-events.js';
import { PutAccount } from '../application/accounts/put-account.js';
import { SweepExpiries } from '../application/keys/sweep-expiries.js';
import type { Config } from '../config/config.js';
import { DEMO_OWNER } from '../config/demo.js';
import { AuditSealer } from '../infrastructure/inbound/clock/audit-sealer.js';
import { Hashing } from '../infrastructure/outbound/passwords/hashing.js';
import { EnvoyAuthorization } from '../infrastructure/inbound/grpc/envoy/envoy-authorization.js';
import { OpenStreams } from '../infrastructure/inbound/grpc/validation/open-streams.js';
import { grpcServerOptions } from '../infrastructure/inbound/grpc/server-options.js';
import { ValidationService } from '../infrastructure/inbound/grpc/validation/validation-service.js';
import { configureHttp } from '../infrastructure/inbound/http/http-app.js';
import { MetricsListener } from '../infrastructure/inbound/http/operations/metrics-listener.js';
import { httpShutDown } from '../infrastructure/inbound/http/http-shut-down.js';
import { Log } from '../infrastructure/telemetry/log.js';
import { NestLog } from '../infrastructure/telemetry/nest-log.js';
import { PostgresHousekeeping } from '../infrastructure/outbound/postgres/accounts/housekeeping.js';
import { openDatabase } from '../infrastructure/outbound/postgres/connection/open-database.js';
import { PrometheusMetrics } from '../infrastructure/telemetry/prometheus-metrics.js';
import { Readiness } from '../infrastructure/inbound/shared/readiness.js';
import { shutDown } from '../infrastructure/inbound/shared/shut-down.js';
import { MetricsPage } from '../infrastructure/telemetry/metrics-page.js';
import { openTraces } from '../infrastructure/telemetry/traces.js';
import { instrumentsOf } from './telemetry.js';

const SWEEP_EVERY_MS = 60_000;

/** What has a life of its own: opened before the first request, closed after the last. */
interface Resource {
  open?(): Promise<void>;
  close?(): void | Promise<void>;
}
const RESOURCES = [LastUse, KeyReader, Audit, AuditSealer, RateLimiter, Passwords, Hashing];

export interface Latchkey {
  readonly app: NestExpressApplication;
  /** Stops taking work, finishes what is under way, flushes and disconnects. */
  stop(): Promise<void>;
}

export async function startLatchkey(config: Config): Promise<Latchkey> {
  const log = new Log(config.logLevel);
  const dataSource = await openDatabase(config.databaseUrl, config.keyPrefix);
  const traces = await openTraces(config.traces, (reason) => log.warn('traces are not sent', { reason }));
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, dataSource, log, traces), {
    bodyParser: false,
    logger: new NestLog(log),
  });
  app.get(PrometheusMetrics).add(...instrumentsOf(app, dataSource));
  const metricsListener = new MetricsListener(app.get(MetricsPage), app.get(Readiness));
  const resources = RESOURCES.map((token) => app.get<Resource>(token));
  const sweep = setInterval(() => void sweepOnce(app, log), SWEEP_EVERY_MS).unref();
  let grpcServer: Server | undefined;
  const shutDownHttp = httpShutDown(app.getHttpServer());

  const stop = async (): Promise<void> => {
    clearInterval(sweep);
    await app.get(Readiness).drain();
    app.get(OpenStreams).drain();
    // Before Nest closes, which cuts off every call that is still open.
    await Promise.all([grpcServer && shutDownGrpc(grpcServer), shutDownHttp()]);
    await app.close();
    for (const resource of resources) await resource.close?.();
    app.get(MetricsPage).close();
    await metricsListener.close();
    await traces.close();
    await dataSource.destroy();
  };

  try {
    await Promise.all(resources.map((resource) => resource.open?.()));
    if (config.demo) await app.get(PutAccount).execute(DEMO_OWNER);
    configureHttp(app, config, log);
    const parts = [app.get(ValidationService), app.get(EnvoyAuthorization)];
    const onServer = (server: Server) => (grpcServer = server);
    const options = await grpcServerOptions(config, app.get(HealthImplementation), parts, onServer);
    app.connectMicroservice(options);
    await app.startAllMicroservices();
    if (config.metricsPort !== undefined) await metricsListener.listen(config.metricsPort, config.host);
    await app.listen(config.httpPort, config.host);
    await app.get(Readiness).check();
    app.get(Readiness).watch();
    void sweepOnce(app, log);
    const { host, httpPort, grpcPort, metricsPort, publicUrl } = config;
    log.info('listening', { pid: process.pid, host, httpPort, grpcPort, metricsPort, publicUrl });
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  return { app, stop };
}

function shutDownGrpc(server: Server): Promise<void> {
  return shutDown(
    (done) => server.tryShutdown(done),
    () => server.forceShutdown(),
  );
}

async function sweepOnce(app: NestExpressApplication, log: Log): Promise<void> {
  try {
    const recorded = await app.get(SweepExpiries).execute();
    if (recorded > 0) log.info('expiries recorded', { recorded });
    await app.get(PostgresHousekeeping).run();
    const pruned = await app.get(PruneAuditEvents).execute();
    if (pruned > 0) log.info('audit events pruned', { pruned });
  } catch (error) {
    log.fault(error);
  }
}

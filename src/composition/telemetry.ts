import type { INestApplicationContext, Provider } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Audit, KeyReader, LastUse, Passwords, RateLimiter, ValidationMeter } from '../application/ports.js';
import { AuditSealer } from '../infrastructure/inbound/clock/audit-sealer.js';
import { OpenStreams } from '../infrastructure/inbound/grpc/validation/open-streams.js';
import {
  type ConnectionLoad,
  connectionInstruments,
  poolLoad,
} from '../infrastructure/outbound/postgres/connection/connection-load.js';
import { PrometheusMetrics } from '../infrastructure/telemetry/prometheus-metrics.js';
import { Readiness } from '../infrastructure/inbound/shared/readiness.js';
import type { Instrument } from '../infrastructure/telemetry/instrument.js';
import { MetricsPage } from '../infrastructure/telemetry/metrics-page.js';
import { GrpcRequestTimes, HttpRequestTimes } from '../infrastructure/telemetry/request-times.js';
import { Traces } from '../infrastructure/telemetry/traces.js';

/** What counts, times and traces, for app.module.ts. */
export function telemetryProviders(traces: Traces): Provider[] {
  return [
    PrometheusMetrics,
    { provide: ValidationMeter, useExisting: PrometheusMetrics },
    {
      provide: MetricsPage,
      useFactory: (metrics: PrometheusMetrics) => new MetricsPage(metrics),
      inject: [PrometheusMetrics],
    },
    HttpRequestTimes,
    GrpcRequestTimes,
    { provide: Traces, useValue: traces },
  ];
}

/** Whoever counts something that is worth watching; not every adapter of these ports does. */
interface Told {
  instruments?(): Instrument[];
}
const TOLD = [
  HttpRequestTimes,
  GrpcRequestTimes,
  KeyReader,
  Audit,
  AuditSealer,
  RateLimiter,
  LastUse,
  Passwords,
  OpenStreams,
  Readiness,
];

/** Everything that `/metrics` tells beside the validations themselves; docs/telemetry.md explains each. */
export function instrumentsOf(app: INestApplicationContext, dataSource: DataSource): Instrument[] {
  const connectionsOf = (port: typeof KeyReader | typeof Audit) => () =>
    app.get<{ readonly connections: ConnectionLoad }>(port).connections;
  const pools = {
    validation: connectionsOf(KeyReader),
    audit: connectionsOf(Audit),
    management: () => poolLoad(dataSource),
  };
  return [...TOLD.flatMap((token) => app.get<Told>(token).instruments?.() ?? []), ...connectionInstruments(pools)];
}

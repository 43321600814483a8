import 'reflect-metadata';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '#config/config.js';
import { AccountService } from '#infrastructure/inbound/grpc/accounts/account-service.js';
import { CallPipeline } from '#infrastructure/inbound/grpc/call-pipeline.js';
import { EnvoyAuthorization } from '#infrastructure/inbound/grpc/envoy/envoy-authorization.js';
import { GrpcCertificates } from '#infrastructure/inbound/grpc/grpc-certificates.js';
import type { GrpcDoor } from '#infrastructure/inbound/grpc/grpc-door.js';
import { GrpcHealth } from '#infrastructure/inbound/grpc/grpc-health.js';
import { GrpcServer } from '#infrastructure/inbound/grpc/grpc-server.js';
import { JsonServer } from '#infrastructure/inbound/grpc/json/json-server.js';
import { ValidationService } from '#infrastructure/inbound/grpc/validation/validation-service.js';
import { managementDoor } from '#infrastructure/inbound/http/management/management.door.js';
import { ForwardAuth, forwardAuthDoor } from '#infrastructure/inbound/http/forward-auth/forward-auth.door.js';
import { edgeListener } from '#infrastructure/inbound/http/forward-auth/edge-listener.js';
import { exactPaths, httpListener } from '#infrastructure/inbound/http/http-server.js';
import { type HttpDoor, FromConfig } from '#infrastructure/inbound/http/http-door.js';
import { introspectionDoor } from '#infrastructure/inbound/http/introspection/introspection.door.js';
import { leaksDoor } from '#infrastructure/inbound/http/leaks/leaks.door.js';
import { platformSignInDoor } from '#infrastructure/inbound/http/management/platform-sign-in.door.js';
import { metricsListener, operationsDoor } from '#infrastructure/inbound/http/operations/operations.door.js';
import { ownKeyDoor } from '#infrastructure/inbound/http/own-key/own-key.door.js';
import { docsDoor } from '#infrastructure/inbound/http/pages/docs.door.js';
import { settingsDoor } from '#infrastructure/inbound/http/pages/settings.door.js';
import { Readiness } from '#infrastructure/inbound/shared/readiness.js';
import { RouteTable } from '#infrastructure/inbound/shared/route-table.js';
import { ServiceIdentity } from '#infrastructure/inbound/shared/service-identity.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type { Adapters } from './adapters.js';
import type { Telemetry } from './telemetry.js';
import type { UseCases } from './use-cases.js';

/** Every protocol that we listen on. All doors in this list listen, are measured, and are closed in order. */
export async function buildDoors(
  config: Config,
  useCases: UseCases,
  { keyReader, synchronousCommits, storedCosts }: Adapters,
  telemetry: Telemetry,
) {
  const { log, traces, metricsPage, httpTimes, grpcTimes } = telemetry;
  const { validateKey } = useCases;
  const { credentials } = config;
  const routes = config.forwardAuthRoutes && new RouteTable(config.forwardAuthRoutes);
  const health = new GrpcHealth();
  const readiness = new Readiness(keyReader, synchronousCommits, (isReady) => health.set(isReady));
  const identity = new ServiceIdentity(config.serviceTokens, config.grpcTls?.clientRoles ?? [], log);
  const forProxies = { validateKey, log, credentials, routes };
  const forwardAuth = new ForwardAuth(forProxies);

  /** Served over JSON too. */
  const ownServices: GrpcDoor[] = [
    new ValidationService({ ...useCases, rateLimit: config.rateLimit, log }),
    new AccountService(useCases.importKeys),
  ];
  const grpcDoors: GrpcDoor[] = [
    ...ownServices,
    new EnvoyAuthorization({ ...forProxies, routes: config.extAuthzRoutes ? routes : undefined }),
  ];
  const httpDoors: HttpDoor[] = [
    managementDoor(config),
    introspectionDoor,
    forwardAuthDoor(forwardAuth),
    ownKeyDoor,
    leaksDoor(identity),
    operationsDoor(config),
    platformSignInDoor(config, () => storedCosts.sharedKey()),
    settingsDoor(config),
    docsDoor(),
  ];
  /** Everything that a controller may receive, by its class. */
  const shared = [...Object.values(useCases), identity, log, readiness, metricsPage];

  const byNest = grpcDoors.flatMap(({ nest }) => nest ?? []);
  const controllers = [...byNest, ...httpDoors].flatMap((door) => door.controllers ?? []);
  const instances = [...shared, ...httpDoors.flatMap((door) => door.instances ?? [])];
  const byClass = instances.map((useValue) => ({ provide: useValue.constructor, useValue }));
  const providers = [...byClass, { provide: FromConfig, useValue: config }];
  const app = await NestFactory.create<NestExpressApplication>(
    { module: class Doors {}, controllers, providers },
    exactPaths(),
    { bodyParser: false, logger: nestLog(log) },
  );
  for (const { strategy } of byNest) app.connectMicroservice({ strategy });
  await app.startAllMicroservices();

  const pipeline = new CallPipeline(identity, grpcTimes, traces, log);
  const certificates = config.grpcTls && new GrpcCertificates(config.grpcTls, log);
  return {
    readiness,
    grpc: new GrpcServer(config, grpcDoors, pipeline, health, certificates),
    services: new JsonServer(config, ownServices, pipeline, certificates),
    metricsListener: metricsListener(metricsPage, readiness, config),
    edge: edgeListener({ forwardAuth, config, log, times: httpTimes, traces }),
    http: await httpListener({ app, doors: httpDoors, config, log, times: httpTimes, traces }),
  };
}

/** Leaves out Nest's info lines, which list the routes and modules of the code. */
function nestLog(log: Log): LoggerService {
  const error = (message: unknown) => log.error(String(message));
  return { log: () => undefined, warn: (message) => log.warn(String(message)), error, fatal: error };
}

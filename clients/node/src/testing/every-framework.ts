import 'reflect-metadata';
import type { Server } from 'node:http';
import { Controller, type ExecutionContext, Get, Module, Param } from '@nestjs/common';
import { type HttpAdapterHost, type ModuleRef, NestFactory, Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import Fastify from 'fastify';
import { latchkey } from '../frameworks/fastify.js';
import { LatchkeyGuard, LatchkeyModule, Permission } from '../frameworks/nestjs.js';
import { createGuard } from '../guard.js';
import type { GuardOptions } from '../options.js';
import { serve } from './raw-http.js';

interface Running {
  readonly server: Server;
  stop(): unknown;
}

/** @param trust the proxies that the framework trusts, if any */
type Start = (options: GuardOptions, trust: string | false) => Promise<Running>;

const OF_SYSTEM = 'systems/{id}:read';

@Controller('systems')
class SystemsController {
  @Get(':id') @Permission(OF_SYSTEM) find(@Param('id') id: string) {
    return { id };
  }
}

const onExpress: Start = async (options, trust) => {
  const guard = createGuard(options);
  const app = express().set('trust proxy', trust);
  app.get('/systems/:id', guard.protect(OF_SYSTEM), (req, res) => res.json({ id: req.params.id }));
  const server = await serve(app);
  const stop = () => [server.close(), guard.close()];
  return { server, stop };
};

const onFastify: Start = async (options, trust) => {
  const app = Fastify({ trustProxy: trust });
  await app.register(latchkey, options);
  app.get('/systems/:id', { onRequest: app.protect(OF_SYSTEM) }, ({ params }) => params);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { server: app.server, stop: () => app.close() };
};

const onNest: Start = async (options, trust) => {
  @Module({ imports: [LatchkeyModule.forRoot(options)], controllers: [SystemsController] })
  class AppModule {}
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: false });
  app.set('trust proxy', trust);
  await app.listen(0, '127.0.0.1');
  return { server: app.getHttpServer(), stop: () => app.close() };
};

/** The guard of NestJS with requests of Fastify, as Nest's adapter for Fastify hands them over. */
const onNestWithFastify: Start = async (options, trust) => {
  const guard = createGuard(options);
  const httpAdapter = { isHeadersSent: () => false, getHeader: () => undefined, setHeader: () => undefined };
  const host = { httpAdapter } as unknown as HttpAdapterHost;
  const nest = new LatchkeyGuard(guard, new Reflector(), host, {} as ModuleRef);
  const app = Fastify({ trustProxy: trust });
  app.get('/systems/:id', async (request, reply) => {
    const context = {
      getType: () => 'http',
      getClass: () => SystemsController,
      getHandler: () => SystemsController.prototype.find,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }),
    };
    await nest.canActivate(context as unknown as ExecutionContext);
    return request.params;
  });
  app.setErrorHandler((error, _request, reply) => {
    const { status, response } = error as unknown as { status: number; response: object };
    return reply.code(status).send(response);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const stop = () => app.close().then(() => guard.close());
  return { server: app.server, stop };
};

/** The same service in each framework: GET /systems/:id needs `systems/{id}:read`. */
export const EVERY_FRAMEWORK: readonly (readonly [string, Start])[] = [
  ['Express', onExpress],
  ['Fastify', onFastify],
  ['NestJS on Express', onNest],
  ['NestJS on Fastify', onNestWithFastify],
];

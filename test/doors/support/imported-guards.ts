import 'reflect-metadata';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  credentials,
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { createGuard, type GuardOptions } from '@latchkey/guard';
import { latchkey } from '@latchkey/guard/fastify';
import { type CanActivate, Controller, Get, HttpCode, HttpException, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express, { type RequestHandler } from 'express';
import Fastify from 'fastify';
import { LatchkeyModule, Permission } from '../../../clients/node/src/frameworks/nestjs.js';
import { IMPORT_PREFIX } from '#test/support/callers/imports.js';
import type { Service } from '#test/support/processes/service.js';
import { CALL_TIMEOUT_MS } from '#test/support/processes/timeouts.mjs';
import { answerOver, type Door, NOT_OURS, type OpenDoor } from './imported-doors.js';
import { pathOf, ROUTES } from './restricted-doors.js';

const throughTo =
  (url: string): Door =>
  (key, { method, path }) =>
    answerOver(url, `${method} ${path}`, key);

const optionsFor = ({ grpcTarget }: Pick<Service, 'grpcTarget'>): GuardOptions => ({
  target: grpcTarget,
  serviceToken: 'dev-validator-token',
  deadlineMs: CALL_TIMEOUT_MS,
});

/** How a service chooses between Latchkey and its own check. */
export type Choice = 'everything' | 'otherwise' | 'by prefix';

export const FRAMEWORKS = { Express: onExpress, Fastify: onFastify, NestJS: onNest };

async function onExpress(service: Pick<Service, 'grpcTarget'>, choice: Choice): Promise<OpenDoor> {
  const guard = createGuard(optionsFor(service));
  const refuse: RequestHandler = (_request, response) => void response.status(401).json(NOT_OURS);
  const app = express();
  for (const { method, path, permission } of ROUTES) {
    const ours = guard.protect(permission || null);
    const byPrefix: RequestHandler = (request, ...rest) =>
      (request.headers.authorization?.startsWith(`Bearer ${IMPORT_PREFIX}`) ? ours : refuse)(request, ...rest);
    const otherwise = choice === 'otherwise' ? refuse : byPrefix;
    const handler = choice === 'everything' ? ours : guard.protect(permission || null, { otherwise });
    app.route(pathOf(path))[method === 'GET' ? 'get' : 'post'](handler, (_, response) => response.json({}));
  }
  const server = await new Promise<HttpServer>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return { door: throughTo(urlOf(server)), stop: () => void [server.close(), guard.close()] };
}

async function onFastify(service: Pick<Service, 'grpcTarget'>, choice: Choice): Promise<OpenDoor> {
  const app = Fastify();
  await app.register(latchkey, optionsFor(service));
  for (const { method, path, permission } of ROUTES) {
    const ours = app.protect(permission || null);
    const options = {
      otherwise: async (request: Parameters<typeof ours>[0], reply: Parameters<typeof ours>[1]) => {
        const isImport = request.headers.authorization?.startsWith(`Bearer ${IMPORT_PREFIX}`);
        if (choice === 'by prefix' && isImport) return (ours as (...all: unknown[]) => unknown)(request, reply);
        return reply.code(401).send(NOT_OURS);
      },
    };
    const onRequest = choice === 'everything' ? ours : app.protect(permission || null, options);
    app.route({ method, url: pathOf(path), onRequest, handler: async () => ({}) });
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { door: throughTo(urlOf(app.server)), stop: () => app.close() };
}

class Platform implements CanActivate {
  canActivate(): never {
    throw new HttpException(NOT_OURS, 401);
  }
}

async function onNest(service: Pick<Service, 'grpcTarget'>, choice: Choice): Promise<OpenDoor> {
  const options = choice === 'everything' ? {} : { otherwise: Platform };
  @Controller()
  class AnyController {
    @Get('systems') @Permission('systems:read', options) all() {
      return {};
    }
    @Post('systems/:id') @HttpCode(200) @Permission('systems/{id}:write', options) change() {
      return {};
    }
    @Get('any') @Permission(null, options) any() {
      return {};
    }
  }
  @Module({ imports: [LatchkeyModule.forRoot(optionsFor(service))], controllers: [AnyController] })
  class AppModule {}
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  return { door: throughTo(urlOf(app.getHttpServer() as HttpServer)), stop: () => app.close() };
}

const urlOf = (server: HttpServer) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const VALIDATE = '/latchkey.v1.ApiKeyService/ValidateKey';
const asItIs = (bytes: Buffer) => bytes;

/** The service as an older release offers it, without streams: guards make unary calls. */
export async function withoutStreams({ grpcTarget }: Service) {
  const client = new Client(grpcTarget, credentials.createInsecure());
  const server = new Server();
  let calls = 0;
  const codecs = {
    requestSerialize: asItIs,
    requestDeserialize: asItIs,
    responseSerialize: asItIs,
    responseDeserialize: asItIs,
  };
  server.addService(
    { ValidateKey: { path: VALIDATE, requestStream: false, responseStream: false, ...codecs } },
    {
      ValidateKey: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
        calls += 1;
        const identity = new Metadata();
        for (const value of call.metadata.get('authorization')) identity.add('authorization', value);
        const passed = client.makeUnaryRequest(VALIDATE, asItIs, asItIs, call.request, identity, (error, bytes) =>
          done(error, bytes),
        );
        passed.on('metadata', (metadata) => call.sendMetadata(metadata));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const stop = () => void [server.forceShutdown(), client.close()];
  return { grpcTarget: `127.0.0.1:${port}`, calls: () => calls, stop };
}

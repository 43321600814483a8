import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metadata } from '@grpc/grpc-js';
import { createGuard, type Guard, type GuardOptions, type Operation } from '@latchkey/guard';
import { latchkey } from '@latchkey/guard/fastify';
import express from 'express';
import Fastify from 'fastify';
import { headersOf } from '#test/support/callers/forward-auth.js';
import { rawRequest } from '#test/support/callers/raw-http.js';
import { ValidationStream } from '#test/support/callers/validation-stream.js';
import type { Service } from '#test/support/processes/service.js';
import { CALL_TIMEOUT_MS } from '#test/support/processes/timeouts.mjs';
import { ExtAuthz } from './ext-authz.js';

/** What a client sends: a method and a path, and which permission the service behind the door requires for it. */
export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** With the part of the path filled in. */
  readonly permission: string;
  readonly operation: Operation;
}

/** How a request reaches a door: from which peer, and with which X-Forwarded-For. */
export interface Arrival {
  readonly peer: string;
  readonly forwardedFor?: string | undefined;
  /** Another header that names an address. */
  readonly claim?: string | undefined;
}

/** What a client sees of the verdict. */
export interface Seen {
  readonly status: number;
  /** Whether the refusal says that more scope would help. */
  readonly hasScope: boolean;
  readonly hasRateLimit: boolean;
}

export type Ask = (key: string, sent: Sent, arrival: Arrival) => Promise<Seen>;

/** Routes in the form of FORWARD_AUTH_ROUTES, which the guards get, too. */
export const ROUTES = [
  { method: 'GET', path: '/systems', permission: 'systems:read' },
  { method: 'GET', path: '/systems/{id}', permission: 'systems/{id}:read' },
  { method: 'GET', path: '/systems/{id}/parts', permission: 'systems/{id}/parts:read' },
  { method: 'POST', path: '/systems/{id}', permission: 'systems/{id}:write' },
  { method: 'GET', path: '/reports', permission: 'reports:read' },
  { method: 'GET', path: '/any', permission: '' },
] as const;

export const seenOf = (status: number, headers: Readonly<Record<string, string>>): Seen => ({
  status,
  hasScope: headers['www-authenticate']?.includes('insufficient_scope') ?? false,
  hasRateLimit: 'ratelimit' in headers && 'ratelimit-policy' in headers,
});

async function over(url: string, line: string, key: string, headers: (string | undefined)[]): Promise<Seen> {
  const all = [`Authorization: Bearer ${key}`, ...headers.filter((header) => typeof header === 'string')];
  const { status, head } = await rawRequest({ url }, line, all);
  return seenOf(status, headersOf(head));
}

const forwarded = ({ forwardedFor, claim }: Arrival) => [
  forwardedFor === undefined ? undefined : `X-Forwarded-For: ${forwardedFor}`,
  claim,
];

/** The four proxies call with these names of headers. Their peer is the proxy, on a loopback address. */
export function forwardAuth({ url }: Service, mode: string): Ask {
  const names = mode === 'nginx' ? ['X-Original-Method', 'X-Original-URI'] : ['X-Forwarded-Method', 'X-Forwarded-Uri'];
  return (key, { method, path }, arrival) =>
    over(url, `GET /v1/forward-auth?mode=${mode}`, key, [
      `${names[0]}: ${method}`,
      `${names[1]}: ${path}`,
      ...forwarded(arrival),
    ]);
}

export function ownKey({ url }: Service): Ask {
  return (key, _sent, arrival) => over(url, 'GET /v1/key', key, forwarded(arrival));
}

export function management({ url }: Service): Ask {
  return (key, _sent, arrival) => over(url, 'GET /v1/api-keys', key, forwarded(arrival));
}

/** A service in another language, which passes the address on that it believes. */
export function grpc({ clients }: Service, kind: 'unary' | 'stream'): Ask {
  const stream = kind === 'stream' ? new ValidationStream(clients) : undefined;
  return async (key, { operation, permission }, { forwardedFor: clientIp = '' }) => {
    const request = { apiKey: key, operation: `OPERATION_${operation}`, permission, clientIp } as const;
    const { denial, rateLimit } = await (stream ?? { validate: clients.validateRequest }).validate(request);
    const reasons = ['REASON_MISSING_PERMISSION', 'REASON_READ_ONLY_KEY', 'REASON_OPERATION_NOT_ALLOWED'];
    const hasScope = reasons.includes(denial?.reason ?? '');
    return { status: denial?.httpStatus ?? 200, hasScope, hasRateLimit: Boolean(rateLimit) };
  };
}

export function envoy({ grpcTarget }: Service, identity: Metadata): { ask: Ask; stop: () => void } {
  const filter = new ExtAuthz(grpcTarget, identity);
  const ask: Ask = async (key, { method, permission }, { peer, forwardedFor }) => {
    const claims = forwardedFor === undefined ? {} : { 'x-forwarded-for': `${forwardedFor},${peer}` };
    const headers = { authorization: `Bearer ${key}`, ...claims };
    const outcome = await filter.pass({ method, headers, peer }, { permission });
    return seenOf(outcome.status, outcome.headers);
  };
  return { ask, stop: () => filter.close() };
}

/** A service with the guard. @param trust whether its framework trusts the peer, on a loopback address */
export async function guarded(service: Pick<Service, 'grpcTarget'>, framework: 'Express' | 'Fastify', trust: boolean) {
  const options: GuardOptions = {
    target: service.grpcTarget,
    serviceToken: 'dev-validator-token',
    deadlineMs: CALL_TIMEOUT_MS,
  };
  const { server, stop } = await (framework === 'Express' ? onExpress(options, trust) : onFastify(options, trust));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask: Ask = (key, { method, path }, arrival) => over(url, `${method} ${path}`, key, forwarded(arrival));
  return { ask, stop };
}

export const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

async function onExpress(options: GuardOptions, trust: boolean) {
  const guard: Guard = createGuard(options);
  const app = express().set('trust proxy', trust && 'loopback');
  for (const { method, path, permission } of ROUTES) {
    const route = app.route(pathOf(path));
    route[method === 'GET' ? 'get' : 'post'](guard.protect(permission || null), (_, response) => response.json({}));
  }
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return { server, stop: async () => void [server.close(), guard.close()] };
}

async function onFastify(options: GuardOptions, trust: boolean) {
  const app = Fastify({ trustProxy: trust && 'loopback' });
  await app.register(latchkey, options);
  for (const { method, path, permission } of ROUTES) {
    app.route({ method, url: pathOf(path), onRequest: app.protect(permission || null), handler: async () => ({}) });
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { server: app.server, stop: () => app.close() };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Config } from '#config/config.js';
import { credentialHeaders } from '#domain/keys/credential.js';
import { headerValues } from '../../shared/request-facts.js';
import { HttpListener, refuseUnread } from '../../shared/listening.js';
import { assignRequestId, dropForwardedPorts, type LatchkeyRequest } from '../pipeline/request.js';
import { type HttpTelemetry, observe } from '../pipeline/request-telemetry.js';
import { type ForwardAuth, sendToProxy } from './forward-auth.door.js';

interface EdgeParts extends HttpTelemetry {
  readonly forwardAuth: ForwardAuth;
  readonly config: Pick<Config, 'edgePort' | 'host' | 'trustedProxies' | 'credentials'>;
}

/** Envoy removes the headers that this one names before the request reaches the service. */
const REMOVED_BY_ENVOY = 'X-Envoy-Auth-Headers-To-Remove';

/**
 * For gateways that send the client's own method, host, path and query. Nothing else answers on its port, so the answer of
 * no other page is taken for a grant.
 */
export function edgeListener({ forwardAuth, config, log, times, traces }: EdgeParts): HttpListener {
  const steps = [
    refuseUnread,
    dropForwardedPorts,
    assignRequestId,
    observe({ log, times, traces, probes: [], plainRoutes: [], elsewhere: 'edge' }),
  ];
  const answer: RequestHandler = async (request, response) => {
    response.set('Cache-Control', 'no-store');
    const { method, url: target } = request;
    const [host, ...hosts] = headerValues(request, 'host');
    const original = { method, target, host: hosts.length === 0 ? host : undefined };
    const answered = await forwardAuth.answer(original, request as LatchkeyRequest);
    if (answered.status === 200) response.set(REMOVED_BY_ENVOY, credentialHeaders(config.credentials).join(','));
    sendToProxy(request, response, answered);
  };
  const handle = steps.reduceRight<RequestHandler>(
    (next, step) => (request, response) => step(request, response, () => next(request, response, () => undefined)),
    answer,
  );
  // Express knows the addresses of trusted proxies. It has no routes here, because it answers some targets by itself.
  const app = express()
    .disable('x-powered-by')
    .set('trust proxy', [...config.trustedProxies]);
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    app(request as Request, response as Response, () =>
      handle(request as Request, response as Response, () => undefined),
    );
  // No body is read, so no client is asked to send one.
  const server = createServer(serve).on('checkContinue', serve);
  return new HttpListener(server, 'EDGE_PORT', config.edgePort, config.host);
}

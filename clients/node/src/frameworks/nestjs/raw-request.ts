import type { IncomingMessage } from 'node:http';
import type { ExecutionContext } from '@nestjs/common' with { 'resolution-mode': 'import' };
import type { HttpRequest } from '../../http/http-request.js';
import { type FastifyLike, fromFastify } from '../from-fastify.js';

/** With Express, Nest's request is Node's own; Fastify wraps it. */
type PlatformRequest = IncomingMessage | FastifyLike;

export function rawRequest(context: ExecutionContext): IncomingMessage {
  const request = context.switchToHttp().getRequest<PlatformRequest>();
  return 'raw' in request ? request.raw : request;
}

export function httpRequest(context: ExecutionContext): HttpRequest {
  const request = context.switchToHttp().getRequest<PlatformRequest>();
  return 'raw' in request ? fromFastify(request) : request;
}

import type { IncomingMessage } from 'node:http';
import type { ExecutionContext } from '@nestjs/common' with { 'resolution-mode': 'import' };

/** With Express, Nest's request is Node's own; Fastify wraps it. */
export type PlatformRequest = IncomingMessage & { readonly raw?: IncomingMessage; readonly ip?: string };

export function rawRequest(context: ExecutionContext): IncomingMessage {
  const request = context.switchToHttp().getRequest<PlatformRequest>();
  return request.raw ?? request;
}

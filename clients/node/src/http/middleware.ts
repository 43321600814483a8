import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision } from '../decision.js';
import { rateLimitHeaders, refusalAnswer } from './http-answer.js';
import type { Permission } from './permission.js';
import { admit } from './principal.js';
import type { MakeRoute, RouteOptions } from './route.js';

/** Middleware as Express, connect and their relatives know it. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Makes middleware for a route or a router. A granted request goes on to the handler, which finds who it acts as by
 * `principalOf(req)`; any other is answered here: 401, 403, 429 or 503. Both carry the RateLimit fields.
 *
 * Put it before the body parser, after CORS, and once per request: each check is charged to the key.
 *
 * @throws {TypeError} the permission is not of the form `resource:action`, or an operation is none
 */
export type Protect = (permission: Permission, options?: RouteOptions) => Middleware;

export function protectWith(makeRoute: MakeRoute): Protect {
  return (permission, options) => {
    const route = makeRoute(permission, options);
    return (req, res, next) => {
      const proceed = (decision: Decision) => {
        // Someone else, a timeout say, answered while the service was asked. Nothing may be added to that.
        if (res.headersSent) return;
        setHeaders(res, rateLimitHeaders(decision.rateLimit));
        if (!decision.allowed) return refuse(res, decision);
        admit(req, decision.principal);
        next();
      };
      // Not .catch(next): what the handler itself throws is not the guard's to report a second time.
      void route(req).then(proceed, next);
    };
  };
}

function refuse(res: ServerResponse, refusal: Exclude<Decision, { allowed: true }>): void {
  const { status, headers, body } = refusalAnswer(refusal);
  res.statusCode = status;
  setHeaders(res, headers);
  res.end(body);
}

function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

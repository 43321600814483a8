import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision } from '../decision.js';
import { decisionHeaders, refusalAnswer } from './http-answer.js';
import type { IsApiKey } from './http-request.js';
import type { Permission } from './permission.js';
import { admit } from './principal.js';
import type { MakeRoute, RouteOptions } from './route.js';

/** Middleware for Express, connect and frameworks like them. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

export interface ProtectOptions extends RouteOptions {
  /**
   * Middleware that handles each request without an API key, in place of the guard: the platform's own check. A request
   * that it lets through has no principal. It also gets imported keys, which have no marker. Default: Latchkey checks
   * every request, and one without a key is refused with 401.
   */
  otherwise?(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown;
}

/**
 * Makes middleware for a route or a router. A granted request proceeds to the handler, which reads the principal with
 * `principalOf(req)`. Any other request is answered here with 401, 403, 429 or 503. Both get the RateLimit fields, a
 * granted one `Latchkey-Key-Expires` too.
 *
 * Put it before the body parser, after CORS, and once per request: each check is charged to the key.
 *
 * @throws {TypeError} the permission is not of the form `resource:action`, an operation is unknown, or `otherwise` is
 *   not a function
 */
export type Protect = (permission: Permission, options?: ProtectOptions) => Middleware;

export function protectWith(makeRoute: MakeRoute, isApiKey: IsApiKey): Protect {
  return (permission, options) => {
    const route = makeRoute(permission, options);
    const otherwise = options?.otherwise;
    assertFunction(otherwise);
    const guarded: Middleware = (req, res, next) => {
      const proceed = (decision: Decision) => {
        // Other code (a timeout, for example) has answered in the meantime. Nothing may be added to its answer.
        if (res.headersSent) return;
        const headers = decisionHeaders(decision, (name) => res.getHeader(name));
        for (const name of Object.keys(headers)) res.setHeader(name, headers[name]!);
        if (decision.allowed) {
          admit(req, decision.principal);
          return next();
        }
        const { status, body } = refusalAnswer(decision);
        res.statusCode = status;
        res.end(body);
      };
      // Not .catch(next): an error of the handler itself would then be reported a second time.
      void route(req).then(proceed, next);
    };
    if (!otherwise) return guarded;
    // The result is returned, because Express waits for a promise.
    return (req, res, next) => (isApiKey(req) ? guarded : otherwise)(req, res, next);
  };
}

/** @throws {TypeError} the value is not a function, for example the module that contains it */
export function assertFunction(otherwise: unknown): void {
  if (otherwise !== undefined && typeof otherwise !== 'function') throw new TypeError('otherwise must be a function');
}

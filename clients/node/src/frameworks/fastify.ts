import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../decision.js';
import { createGuard } from '../guard.js';
import { decisionHeaders, refusalAnswer } from '../http/http-answer.js';
import { assertFunction } from '../http/middleware.js';
import type { Permission } from '../http/permission.js';
import { admit, principalOf } from '../http/principal.js';
import type { RouteOptions } from '../http/route.js';
import type { GuardOptions } from '../options.js';
import { fromFastify } from './from-fastify.js';

/* eslint-disable @typescript-eslint/no-explicit-any -- of a server for HTTP/1.1, HTTP/2 or TLS */
type AnyRequest = FastifyRequest<any, any, any>;
type AnyReply = FastifyReply<any, any, any, any>;
/* eslint-enable @typescript-eslint/no-explicit-any */

/** An `onRequest` hook: it runs before the body is read. */
export type FastifyProtection = (request: AnyRequest, reply: AnyReply) => Promise<unknown>;

/** Either kind of Fastify hook: one that returns a promise, or one that calls `done`. */
interface EitherHook {
  // Declared as a method, so that a hook typed for a narrower request fits too.
  run(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): unknown;
}

export interface FastifyProtectionOptions extends RouteOptions {
  /**
   * A hook that handles each request without an API key, in place of the guard: the platform's own check. A request
   * that it lets through has no principal. It also gets imported keys, which have no marker. Default: Latchkey checks
   * every request, and one without a key is refused with 401.
   */
  otherwise?: EitherHook['run'] | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account and the key that the request acts with. Throws on a route that is not protected. */
    readonly principal: Principal;
  }
  interface FastifyInstance {
    /**
     * Makes an `onRequest` hook, for a route or by `addHook` for all that are registered after it, that lets only
     * granted requests through. Use it once per request: each check is charged to the key.
     *
     * @throws {TypeError} the permission is not of the form `resource:action`, an operation is unknown, or `otherwise` is not a function
     */
    protect(permission: Permission, options?: FastifyProtectionOptions): FastifyProtection;
    /** Whether a request carries an API key, or what looks like one, by its marker. It does not see imported keys. */
    isApiKey(request: AnyRequest): boolean;
  }
}

/**
 * Opens a guard for the application, and closes it with the application: `app.register(latchkey, { target, … })`. The
 * application then has `app.protect(permission)` and `request.principal`.
 */
export const latchkey: FastifyPluginAsync<GuardOptions> = async (app, options) => {
  const guard = createGuard(options);
  app.addHook('onClose', async () => guard.close());
  app.decorateRequest('principal', { getter: principal });
  app.decorate('isApiKey', (request: FastifyRequest) => guard.isApiKey(request.raw));
  app.decorate('protect', (permission: Permission, routeOptions?: FastifyProtectionOptions): FastifyProtection => {
    const route = guard.route(permission, routeOptions);
    const otherwise = routeOptions?.otherwise;
    assertFunction(otherwise);
    return async (request, reply) => {
      if (otherwise && !guard.isApiKey(request.raw)) return runHook(otherwise, request, reply);
      const decision = await route(fromFastify(request));
      // Other code (a timeout, for example) has answered in the meantime. Nothing may be added to its answer.
      if (reply.sent) return reply;
      reply.headers(decisionHeaders(decision, (name) => reply.getHeader(name)));
      if (decision.allowed) return admit(request.raw, decision.principal);
      const { status, body } = refusalAnswer(decision);
      return reply.code(status).send(body);
    };
  });
};

/** Runs the hook. Resolves once the hook has let the request through, rejects when the hook refuses with an error. */
function runHook(hook: EitherHook['run'], request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => (error ? reject(error) : resolve(undefined));
    const result = hook.call(request.server, request, reply, done);
    // Fastify distinguishes the kinds by their number of parameters. Here, a hook that neither returns a promise nor
    // calls `done` lets no request through.
    if (result instanceof Promise) result.then(resolve, reject);
  });
}

function principal(this: FastifyRequest): Principal {
  return principalOf(this.raw);
}

// Makes the plugin apply to the whole application instead of a scope of its own. Fastify documents both symbols
// (Reference, Plugins); the package fastify-plugin does no more than this.
Object.assign(latchkey, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@latchkey/guard',
});

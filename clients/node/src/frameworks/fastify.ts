import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../decision.js';
import { createGuard } from '../guard.js';
import { rateLimitHeaders, refusalAnswer } from '../http/http-answer.js';
import type { Permission } from '../http/permission.js';
import { admit, principalOf } from '../http/principal.js';
import type { RouteOptions } from '../http/route.js';
import type { GuardOptions } from '../options.js';

/** An `onRequest` hook: it runs before the body is read. */
export type FastifyProtection = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the request acts as. Throws on a route that is not protected. */
    readonly principal: Principal;
  }
  interface FastifyInstance {
    /**
     * Makes an `onRequest` hook, for a route or by `addHook` for all that are registered after it, that lets only
     * granted requests through. Once per request: each check is charged to the key.
     *
     * @throws {TypeError} the permission is not of the form `resource:action`, or an operation is none
     */
    protect(permission: Permission, options?: RouteOptions): FastifyProtection;
  }
}

/**
 * Opens a guard for the application, and closes it with the application: `app.register(latchkey, { target, … })`. Then
 * there are `app.protect(permission)` and `request.principal`.
 */
export const latchkey: FastifyPluginAsync<GuardOptions> = async (app, options) => {
  const guard = createGuard(options);
  app.addHook('onClose', async () => guard.close());
  app.decorateRequest('principal', { getter: principal });
  app.decorate('protect', (permission: Permission, routeOptions?: RouteOptions): FastifyProtection => {
    const route = guard.route(permission, routeOptions);
    return async (request, reply) => {
      const { method, ip, socket, raw } = request;
      const decision = await route({ method, ip, socket, rawHeaders: raw.rawHeaders });
      // Someone else, a timeout say, answered while the service was asked. Nothing may be added to that.
      if (reply.sent) return reply;
      reply.headers(rateLimitHeaders(decision.rateLimit));
      if (decision.allowed) return admit(raw, decision.principal);
      const { status, headers, body } = refusalAnswer(decision);
      return reply.code(status).headers(headers).send(body);
    };
  });
};

function principal(this: FastifyRequest): Principal {
  return principalOf(this.raw);
}

/** For the whole application, not for the plugin's own scope alone: what fastify-plugin does, and all that it does. */
Object.assign(latchkey, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@latchkey/guard',
});

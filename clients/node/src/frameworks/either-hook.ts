import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Either kind of Fastify hook: one that returns a promise, or one that calls `done`. */
export interface EitherHook {
  // Declared as a method, so that a hook typed for a narrower request fits too.
  run(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): unknown;
}

/** Runs the hook. Resolves once the hook has let the request through, rejects when the hook refuses with an error. */
export function runHook(hook: EitherHook['run'], request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => (error ? reject(error) : resolve(undefined));
    const result = hook.call(request.server, request, reply, done);
    // Fastify distinguishes the kinds by their number of parameters. Here, a hook that neither returns a promise nor
    // calls `done` lets no request through.
    if (result instanceof Promise) result.then(resolve, reject);
  });
}

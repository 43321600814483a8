import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A hook of either kind that Fastify has: one that answers a promise, or one that calls `done`. */
export interface EitherHook {
  // A method, so that hooks which are typed for a narrower request fit too.
  run(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): unknown;
}

/** Runs the hook, and answers once it has let the request through. Rejects when it refuses by an error. */
export function runHook(hook: EitherHook['run'], request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => (error ? reject(error) : resolve(undefined));
    const result = hook.call(request.server, request, reply, done);
    // Fastify tells them apart by their number of parameters. Here one that does neither lets nobody through.
    if (result instanceof Promise) result.then(resolve, reject);
  });
}

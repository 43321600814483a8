import type { IncomingMessage } from 'node:http';
import type { Principal } from '../decision.js';

/** A request that passed the guard. Express's own types stay unchanged: read the principal with `principalOf`. */
export interface GuardedRequest extends IncomingMessage {
  latchkey?: Principal;
}

/** Stores the principal on a granted request. */
export function admit(req: IncomingMessage, principal: Principal): void {
  (req as GuardedRequest).latchkey = principal;
}

/**
 * The account and the key that the request acts with, on a route that the guard protects.
 *
 * @throws {Error} the request did not pass a guard: a mistake in the order of the routes, or a request without an API key
 *   that `otherwise` let through
 */
export function principalOf(req: IncomingMessage): Principal {
  const { latchkey } = req as GuardedRequest;
  if (!latchkey)
    throw new Error(
      'principalOf: this route is not protected, or its request has no API key; put the guard before its handler',
    );
  return latchkey;
}

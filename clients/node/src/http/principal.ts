import type { IncomingMessage } from 'node:http';
import type { Principal } from '../decision.js';

/** A request that passed the guard. Express's own types stay as they are: read it through `principalOf`. */
export interface GuardedRequest extends IncomingMessage {
  latchkey?: Principal;
}

/** Notes who a granted request acts as. */
export function admit(req: IncomingMessage, principal: Principal): void {
  (req as GuardedRequest).latchkey = principal;
}

/**
 * Who the request acts as, on a route that the guard protects.
 *
 * @throws {Error} the request did not pass a guard: a mistake in how the routes are put together
 */
export function principalOf(req: IncomingMessage): Principal {
  const { latchkey } = req as GuardedRequest;
  if (!latchkey) throw new Error('principalOf: this route is not protected; put the guard before its handler');
  return latchkey;
}

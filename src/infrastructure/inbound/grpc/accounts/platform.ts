import { type Actor, NO_CLIENT } from '../../../../domain/audit/audit-event.js';

/** The names of certificates may be longer. */
const MOST_CHARACTERS = 128;

/** The platform as the record names it. Its own address is not that of a client. */
export function platform(identity: string): Actor {
  return { actorId: `service:${identity}`.slice(0, MOST_CHARACTERS), client: NO_CLIENT };
}

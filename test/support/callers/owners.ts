import { randomBytes } from 'node:crypto';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import { PASSWORD } from '../application/calls.js';
import { CHEAP_HASH } from '../application/cheap.mjs';
import type { Person } from './person.js';
import type { Service } from '../processes/service.js';

export { PASSWORD };

export interface Owner {
  readonly id: string;
  readonly email: string;
  /** Signed in already. */
  readonly person: Person;
}

/**
 * Creates an account for one test, so that its keys, password guesses and events are separate from those of other
 * tests.
 */
export async function newOwner(service: Service, profile: PutAccountRequest = {}): Promise<Owner> {
  const id = profile.id ?? `owner-${randomBytes(6).toString('hex')}`;
  const email = profile.email ?? `${id}@example.com`;
  const password = profile.password === undefined ? { passwordHash: CHEAP_HASH } : {};
  const defaults = { displayName: `The ${id}`, permissions: ['systems:read', 'systems:write'], ...password };
  await service.clients.putAccount({ ...defaults, ...profile, id, email });
  return { id, email, person: await service.person().signIn(email, PASSWORD) };
}

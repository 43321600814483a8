import { DEMO_OWNER } from '../../src/config/demo.js';
import type { PutAccountRequest } from '../../src/infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import type { Person } from './person.js';
import type { Service } from './service.js';

/** One password for all owners of the suites. */
export const PASSWORD = DEMO_OWNER.password;

export interface Owner {
  readonly id: string;
  readonly email: string;
  /** Signed in. */
  readonly person: Person;
}

let opened = 0;

/** Makes an account for one test, so that its keys, guesses and events are separate from other tests. */
export async function newOwner(service: Service, profile: PutAccountRequest = {}): Promise<Owner> {
  const id = profile.id ?? `owner-${(opened += 1)}`;
  const email = profile.email ?? `${id}@example.com`;
  const password = profile.passwordHash === undefined ? { password: PASSWORD } : {};
  const defaults = { displayName: `The ${id}`, permissions: ['systems:read', 'systems:write'], ...password };
  await service.clients.putAccount({ ...defaults, ...profile, id, email });
  return { id, email, person: await service.person().signIn(email, PASSWORD) };
}

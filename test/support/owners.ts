import { randomBytes } from 'node:crypto';
import { DEMO_OWNER } from '../../src/config/demo.js';
import type { PutAccountRequest } from '../../src/infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import type { Person } from './person.js';
import type { Service } from './service.js';

/** One password for all owners of the suites. */
export const PASSWORD = DEMO_OWNER.password;
/** As the service itself would hash it. Given in its place, it saves half of the hashing that an owner costs. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$crDfWdl0sj3ABgKRnwV+TA$9bjDCoPA+4oCCb0VgGQWQg4oM5SAbR7m429Dwr9kbrk';

export interface Owner {
  readonly id: string;
  readonly email: string;
  /** Signed in. */
  readonly person: Person;
}

/** Makes an account for one test, so that its keys, guesses and events are separate from those of all other tests. */
export async function newOwner(service: Service, profile: PutAccountRequest = {}): Promise<Owner> {
  const id = profile.id ?? `owner-${randomBytes(6).toString('hex')}`;
  const email = profile.email ?? `${id}@example.com`;
  const password = profile.password === undefined ? { passwordHash: PASSWORD_HASH } : {};
  const defaults = { displayName: `The ${id}`, permissions: ['systems:read', 'systems:write'], ...password };
  await service.clients.putAccount({ ...defaults, ...profile, id, email });
  return { id, email, person: await service.person().signIn(email, PASSWORD) };
}

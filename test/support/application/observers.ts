import { themselves } from '#test/support/application/calls.js';
import type { CreatedApiKey } from '#application/keys/make-api-keys.js';
import type { UseCases } from '#composition/use-cases.js';
import { client, createKey, outcomeOf } from './calls.js';

export const READ = { operation: 'read', permission: '' } as const;

type Observe = (instance: UseCases, key: CreatedApiKey) => Promise<unknown>;

/** Every call that finds the end of a key by the clock and records it. */
export const OBSERVERS: Record<string, Observe> = {
  create: (instance, { key }) => createKey(instance, key.ownerId),
  list: (instance, { key }) => instance.shownKeys.ofOwner(key.ownerId, undefined, { limit: 50 }),
  validate: (instance, { fullKey }) =>
    instance.validateKey.execute({ credential: fullKey, question: READ, client: client() }),
  revoke: (instance, { key }) =>
    outcomeOf(instance.changeKeysOfOwner.revoke(themselves(key.ownerId), key.id, client())),
  sweep: (instance) => instance.dueEnds.ofAll(),
};

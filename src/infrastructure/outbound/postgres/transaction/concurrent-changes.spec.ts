import { themselves } from '#test/support/application/calls.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  client,
  createKey,
  newOwner,
  openApplication,
  times,
  type Application,
} from '#test/support/application/application.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import type { PasswordGuesses } from '#application/ports.js';

const LIMIT = 20;
const noThrottle: PasswordGuesses = { count: async () => {}, forgive: async () => {}, hasSucceeded: async () => true };

let database: Awaited<ReturnType<typeof createDatabase>>;
let instances: Application[];
beforeAll(async () => {
  database = await createDatabase();
  const given = { guesses: noThrottle, keyChangesPerHour: LIMIT };
  instances = [await openApplication(database.url, given), await openApplication(database.url, given)];
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await database.drop();
});

test('exactly as many keys as KEY_CHANGES_PER_HOUR are made by a crowd that creates and revokes on two instances', async () => {
  const { id } = await newOwner(instances[0]!);
  const refusals = await Promise.all(
    times(8, async (n) => {
      const app = instances[n % 2]!;
      for (;;) {
        try {
          const { key } = await createKey(app, id);
          await app.revokeApiKey.execute(themselves(id), key.id, client());
        } catch (error) {
          const { code } = error as { code?: string };
          // A place is free again as soon as another one of the crowd has revoked its key.
          if (code !== 'too_many_active_keys') return code;
        }
      }
    }),
  );
  expect(new Set(refusals)).toEqual(new Set(['too_many_changes']));
  const stored = await instances[0]!.sql<{ n: number }>('SELECT count(*)::int AS n FROM api_keys WHERE owner_id = $1', [
    id,
  ]);
  expect(stored).toEqual([{ n: LIMIT }]);
});

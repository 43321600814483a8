import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { eventually } from '../support/eventually.js';
import { endTheWaits, holdTheWaits } from '../support/stores/held-wait.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { failuresOf } from '../support/stores/recorded-failures.js';

let service: Service;
beforeAll(async () => {
  // The key is validated as fast as possible.
  service = await startService({ RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' });
});
afterAll(() => service.stop());

test('the password that confirms a creation is checked at most five times in a flood of 1,000 guesses, while the key is still granted', async () => {
  const { id, person } = await newOwner(service);
  const { apiKey, fullKey } = await person.newKey();
  await holdTheWaits(service.databaseUrl);
  let isOver = false;
  const statuses = new Map<number, number>();
  const guessOneByOne = async () => {
    for (let guess = 0; guess < 10; guess += 1) {
      // 503: a guess that could not be counted or recorded in time gets no answer.
      const status = await eventually(async () => {
        const answer = await person.create({ password: `guess ${guess}` });
        return answer.status !== 503 && answer.status;
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const guesses = Promise.all(times(100, guessOneByOne)).finally(() => (isOver = true));

  let grants = 0;
  while (!isOver) {
    expect(await service.clients.validate(fullKey)).toMatchObject({ grant: { keyId: apiKey.id } });
    grants += 1;
  }
  await guesses;
  expect(grants).toBeGreaterThan(10);
  const checked = statuses.get(403) ?? 0;
  expect(checked).toBeLessThanOrEqual(5);
  expect(Object.fromEntries(statuses)).toEqual({ ...(checked > 0 ? { 403: checked } : {}), 429: 1000 - checked });

  const recorded = await failuresOf(service.databaseUrl, 'owner_id', id);
  expect(recorded['incorrect-password']).toBeLessThanOrEqual(5);
  expect(recorded['incorrect-password']).toBeGreaterThanOrEqual(checked);
  expect(recorded['too-many-attempts']).toBeGreaterThanOrEqual(1000 - checked);
  expect((await person.list()).activeKeys).toBe(1);
  await endTheWaits(service.databaseUrl);
});

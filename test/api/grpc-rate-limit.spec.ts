import { once } from 'node:events';
import type { Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer } from '../support/callers/grpc-clients.js';
import { secondsOf, unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';

describe('the rate limit of a key', () => {
  let roomy: Service;
  /** Admits three requests at once and one per second on average, on the same database. */
  let narrow: Service;
  beforeAll(async () => {
    roomy = await startService();
    const narrowLimit = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' };
    narrow = await startService({ DATABASE_URL: roomy.databaseUrl, ...narrowLimit });
  });
  afterAll(async () => {
    await narrow.stop();
    await roomy.stop();
  });

  const newKey = async (order = {}) => (await (await newOwner(roomy)).person.newKey(order)).fullKey;

  test('admits 100 requests at once and one more every 50 ms by default', async () => {
    const { rateLimit } = await roomy.clients.validate(await newKey());
    const resetAfter = { seconds: '0', nanos: 50_000_000 };
    expect(rateLimit).toEqual({ limit: 100, remaining: 99, resetAfter, window: null });
  });

  test('reports in the metadata of a call and of a stream in how many seconds a burst refills', async () => {
    const question = { apiKey: await newKey(), operation: 'OPERATION_READ' as const };
    const { apiKeys } = narrow.clients;
    const single = apiKeys.validateKey(question, bearer('dev-validator-token'), () => undefined);
    const stream = apiKeys.validateKeys(bearer('dev-validator-token'));
    stream.on('error', () => undefined);
    const received = (await Promise.all([single, stream].map((call) => once(call, 'metadata')))) as [Metadata][];
    expect(received.map(([metadata]) => metadata.get('latchkey-ratelimit-window'))).toEqual([['3'], ['3']]);
    stream.cancel();
  });

  test('counts down with each request, reports when it is full again, and refuses requests above it', async () => {
    const fullKey = await newKey();
    const startedAt = performance.now();
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await narrow.clients.validate(fullKey));
    const elapsed = (performance.now() - startedAt) / 1000;

    expect(answers.map(({ outcome }) => outcome)).toEqual(['grant', 'grant', 'grant', 'denial']);
    expect(answers.map(({ rateLimit }) => rateLimit!.remaining)).toEqual([2, 1, 0, 0]);
    expect(answers.map(({ rateLimit }) => rateLimit!.limit)).toEqual([3, 3, 3, 3]);
    const resets = answers.map(({ rateLimit }) => secondsOf(rateLimit!.resetAfter));
    [1, 2, 3, 3].forEach((full, index) => {
      expect(resets[index]).toBeLessThanOrEqual(full);
      expect(resets[index]).toBeGreaterThanOrEqual(full - elapsed);
    });
    const { denial } = answers[3]!;
    expect(denial).toMatchObject({ reason: 'REASON_RATE_LIMITED', httpStatus: 429, message: 'too many requests' });
    expect(secondsOf(denial!.retryAfter)).toBeCloseTo(resets[3]! - 2, 6);
  });

  test('admits the next request when retry_after has passed, and not before', async () => {
    const fullKey = await newKey();
    const validate = () => narrow.clients.validate(fullKey);
    let answer = await validate();
    while (answer.grant) answer = await validate();
    const refusedAt = performance.now();
    const retryAfter = secondsOf(answer.denial!.retryAfter);
    // A refused request costs nothing, so continuous requests do not delay the next admission.
    while (!answer.grant) answer = await validate();
    const waited = (performance.now() - refusedAt) / 1000;
    expect(waited).toBeGreaterThan(retryAfter - 0.05);
    expect(waited).toBeLessThan(retryAfter + 1);
  });

  test('is charged once the secret is proven, regardless of the outcome after that', async () => {
    const owner = await newOwner(roomy);
    const { apiKey, fullKey } = await owner.person.newKey({ access: 'read-only' });
    const remainingAfter = async (request = {}) =>
      (await narrow.clients.validate(fullKey, request)).rateLimit!.remaining;
    expect(await remainingAfter({ operation: 'OPERATION_WRITE' })).toBe(2);
    expect(await remainingAfter({ permission: 'reports:read' })).toBe(1);
    await owner.person.revoke(apiKey.id);
    expect(await remainingAfter()).toBe(0);
  });

  test('is not charged for wrong guesses at the secret or for other keys', async () => {
    const owner = await newOwner(roomy);
    const [{ fullKey }, other] = [await owner.person.newKey(), await owner.person.newKey()];
    for (const guess of [withWrongSecret(fullKey), withWrongSecret(fullKey), unknownKey(), `${fullKey} `]) {
      expect(await narrow.clients.validate(guess)).toMatchObject({
        denial: { reason: 'REASON_INVALID_KEY', retryAfter: null },
        rateLimit: null,
      });
    }
    await narrow.clients.validate(other.fullKey);
    expect((await narrow.clients.validate(fullKey)).rateLimit!.remaining).toBe(2);
  });

  test('is exact for simultaneous requests', async () => {
    const fullKey = await newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => narrow.clients.validate(fullKey)));
    expect(answers.filter(({ grant }) => grant)).toHaveLength(3);
    expect(answers.filter(({ denial }) => denial?.reason === 'REASON_RATE_LIMITED')).toHaveLength(17);
  });
});

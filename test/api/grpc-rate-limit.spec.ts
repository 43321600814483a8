import { once } from 'node:events';
import type { Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer } from '../support/callers/grpc-clients.js';
import { secondsOf, unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';

const BURST = 3;
const ROUNDING_S = 1e-6;
/** Between the clock of this process and that of the service. */
const CLOCKS_DIFFER_MS = 50;

/** What is refilled, one request per second, depends on how long the machine takes. */
function refillBounds() {
  const begunAt = performance.now();
  return {
    expectWithin(resetS: number, charges: number): void {
      expect(resetS).toBeLessThanOrEqual(charges);
      expect(resetS).toBeGreaterThanOrEqual(charges - (performance.now() - begunAt) / 1000);
    },
  };
}

describe('the rate limit of a key', () => {
  let roomy: Service;
  /** Admits three requests at once and one per second on average, on the same database. */
  let narrow: Service;
  beforeAll(async () => {
    roomy = await startService();
    const narrowLimit = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) };
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
    const bounds = refillBounds();
    const answers = [];
    do answers.push(await narrow.clients.validate(fullKey));
    while (answers.at(-1)!.grant);

    expect(answers.length).toBeGreaterThan(BURST);
    for (const [index, { outcome, rateLimit }] of answers.entries()) {
      const isLast = index === answers.length - 1;
      const resetS = secondsOf(rateLimit!.resetAfter);
      expect([outcome, rateLimit!.limit]).toEqual([isLast ? 'denial' : 'grant', BURST]);
      expect(rateLimit!.remaining).toBe(Math.floor(BURST - resetS + ROUNDING_S));
      bounds.expectWithin(resetS, isLast ? index : index + 1);
    }
    const { denial, rateLimit } = answers.at(-1)!;
    expect(rateLimit!.remaining).toBe(0);
    expect(denial).toMatchObject({ reason: 'REASON_RATE_LIMITED', httpStatus: 429, message: 'too many requests' });
    expect(secondsOf(denial!.retryAfter)).toBeCloseTo(secondsOf(rateLimit!.resetAfter) - (BURST - 1), 6);
  });

  test('admits the next request when retry_after has passed, and not before', async () => {
    const fullKey = await newKey();
    const attempt = async () => {
      const sentAt = performance.now();
      const { grant, denial } = await narrow.clients.validate(fullKey);
      return { sentAt, grant, denial, answeredAt: performance.now() };
    };
    let current = await attempt();
    while (current.grant) current = await attempt();
    const firstRefused = current;
    let lastRefused = current;
    // A refused request costs nothing, so continuous requests do not delay the next admission.
    while (!current.grant) {
      lastRefused = current;
      current = await attempt();
    }
    const retryAfterMs = 1000 * secondsOf(firstRefused.denial!.retryAfter);
    expect(current.answeredAt - firstRefused.sentAt).toBeGreaterThan(retryAfterMs - CLOCKS_DIFFER_MS);
    expect(lastRefused.sentAt - firstRefused.answeredAt).toBeLessThan(retryAfterMs + CLOCKS_DIFFER_MS);
  });

  test('is charged once the secret is proven, regardless of the outcome after that', async () => {
    const owner = await newOwner(roomy);
    const { apiKey, fullKey } = await owner.person.newKey({ access: 'read-only' });
    const bounds = refillBounds();
    const expectCharged = async (charges: number, request = {}) => {
      const { rateLimit } = await narrow.clients.validate(fullKey, request);
      bounds.expectWithin(secondsOf(rateLimit!.resetAfter), charges);
    };
    await expectCharged(1, { operation: 'OPERATION_WRITE' });
    await expectCharged(2, { permission: 'reports:read' });
    await owner.person.revoke(apiKey.id);
    await expectCharged(3);
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
    const begunAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => narrow.clients.validate(fullKey)));
    const grants = answers.filter(({ grant }) => grant).length;
    expect(grants).toBeGreaterThanOrEqual(BURST);
    expect(grants).toBeLessThanOrEqual(BURST + (performance.now() - begunAt) / 1000);
    expect(answers.filter(({ denial }) => denial?.reason === 'REASON_RATE_LIMITED')).toHaveLength(20 - grants);
  });
});

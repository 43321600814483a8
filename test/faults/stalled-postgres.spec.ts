import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { startService, type Service } from '../support/processes/service.js';
import { SlowLine } from '../support/stores/slow-line.js';
import { outcomeOf } from './measure.js';

/**
 * A service with a short timeout and one with a long timeout use the same PostgreSQL, over a line that stalls on
 * command.
 */
describe('a validation during a stalled statement', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: SlowLine;
  let shortTimeout: Service;
  let longTimeout: Service;
  let fullKey: string;
  beforeAll(async () => {
    database = await createDatabase();
    line = await SlowLine.to(database.url);
    const DATABASE_URL = line.instead(database.url);
    longTimeout = await startService({ DATABASE_URL });
    shortTimeout = await startService({ DATABASE_URL, DATABASE_PATIENCE_MS: '120' });
    fullKey = (await (await longTimeout.person().signIn()).newKey()).fullKey;
  });
  afterEach(async () => {
    line.release();
    for (const service of [longTimeout, shortTimeout])
      await eventually(async () => (await validate(service)) === 'grant');
  });
  afterAll(async () => {
    await shortTimeout.stop();
    await longTimeout.stop();
    line.close();
    await database.drop();
  });

  const validate = ({ clients }: Service, apiKey = fullKey) => outcomeOf(clients.validate(apiKey));

  test.each([
    ['a good key', () => fullKey],
    ['a wrong secret', () => withWrongSecret(fullKey)],
    ['an unknown key', () => unknownKey()],
    ['a malformed key, whose failure must be recorded', () => 'lk_nonsense'],
  ])('is answered UNAVAILABLE for %s, and so is the next one', async (_, credential) => {
    await eventually(async () => (await validate(shortTimeout, credential())) !== status.UNAVAILABLE);
    line.hold();
    for (const outcome of [await validate(shortTimeout, credential()), await validate(shortTimeout, credential())]) {
      expect(outcome).toBe(status.UNAVAILABLE);
    }
    // The answers came although nothing that was sent has arrived yet.
    expect(line.heldPackets).toBeGreaterThan(0);
  });

  test('is answered UNAVAILABLE, also among many that wait behind the stalled batch', async () => {
    line.hold();
    const outcomes = await Promise.all(times(1500, () => validate(shortTimeout)));
    expect(new Set(outcomes)).toEqual(new Set([status.UNAVAILABLE]));
    expect(line.heldPackets).toBeGreaterThan(0);
  });

  test('is UNAVAILABLE after DATABASE_PATIENCE_MS, while an instance with a longer timeout waits and grants', async () => {
    const order: unknown[] = [];
    line.hold();
    const waiting = validate(longTimeout).then((outcome) => order.push(outcome));
    await eventually(async () => line.heldPackets > 0);
    order.push(await validate(shortTimeout), 'released');
    line.release();
    await waiting;
    expect(order).toEqual([status.UNAVAILABLE, 'released', 'grant']);
  });

  test('is never answered with a late result: a key that was revoked in the meantime is denied', async () => {
    const direct = await startService({ DATABASE_URL: database.url });
    const owner = await direct.person().signIn();
    const { apiKey, fullKey: other } = await owner.newKey();
    await eventually(async () => (await validate(shortTimeout, other)) === 'grant');
    line.hold();
    expect(await validate(shortTimeout, other)).toBe(status.UNAVAILABLE);
    expect((await owner.revoke(apiKey.id)).status).toBe(200);
    line.release();
    await eventually(async () => {
      const outcome = await validate(shortTimeout, other);
      expect(outcome).not.toBe('grant');
      return outcome === 'denial';
    });
    await direct.stop();
  });
});

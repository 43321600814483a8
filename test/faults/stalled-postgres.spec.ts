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
describe('while a statement is stalled', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: SlowLine;
  let impatient: Service;
  let patient: Service;
  let fullKey: string;
  beforeAll(async () => {
    database = await createDatabase();
    line = await SlowLine.to(database.url);
    const DATABASE_URL = line.instead(database.url);
    patient = await startService({ DATABASE_URL });
    impatient = await startService({ DATABASE_URL, DATABASE_PATIENCE_MS: '120' });
    fullKey = (await (await patient.person().signIn()).newKey()).fullKey;
  });
  afterEach(async () => {
    line.release();
    for (const service of [patient, impatient]) await eventually(async () => (await ask(service)) === 'grant');
  });
  afterAll(async () => {
    await impatient.stop();
    await patient.stop();
    line.close();
    await database.drop();
  });

  const ask = ({ clients }: Service, apiKey = fullKey) => outcomeOf(clients.validate(apiKey));

  test.each([
    ['a good key', () => fullKey],
    ['a wrong secret', () => withWrongSecret(fullKey)],
    ['an unknown key', () => unknownKey()],
    ['a malformed key, whose failure is to be recorded', () => 'lk_nonsense'],
  ])('%s is answered UNAVAILABLE, and so is the question after it', async (_, credential) => {
    await eventually(async () => (await ask(impatient, credential())) !== status.UNAVAILABLE);
    line.hold();
    for (const outcome of [await ask(impatient, credential()), await ask(impatient, credential())]) {
      expect(outcome).toBe(status.UNAVAILABLE);
    }
    // The answers came although nothing that was sent has arrived yet.
    expect(line.heldPackets).toBeGreaterThan(0);
  });

  test('a crowd is answered UNAVAILABLE, those who wait behind the stalled batch too', async () => {
    line.hold();
    const told = await Promise.all(times(1500, () => ask(impatient)));
    expect(new Set(told)).toEqual(new Set([status.UNAVAILABLE]));
    expect(line.heldPackets).toBeGreaterThan(0);
  });

  test('DATABASE_PATIENCE_MS decides who gives up: one has answered UNAVAILABLE while the other waits for its grant', async () => {
    const order: unknown[] = [];
    line.hold();
    const waiting = ask(patient).then((outcome) => order.push(outcome));
    await eventually(async () => line.heldPackets > 0);
    order.push(await ask(impatient), 'released');
    line.release();
    await waiting;
    expect(order).toEqual([status.UNAVAILABLE, 'released', 'grant']);
  });

  test('an answer that comes late is given to nobody: a key revoked meanwhile is denied', async () => {
    const direct = await startService({ DATABASE_URL: database.url });
    const owner = await direct.person().signIn();
    const { apiKey, fullKey: other } = await owner.newKey();
    await eventually(async () => (await ask(impatient, other)) === 'grant');
    line.hold();
    expect(await ask(impatient, other)).toBe(status.UNAVAILABLE);
    expect((await owner.revoke(apiKey.id)).status).toBe(200);
    line.release();
    await eventually(async () => {
      const outcome = await ask(impatient, other);
      expect(outcome).not.toBe('grant');
      return outcome === 'denial';
    });
    await direct.stop();
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { credentials, status } from '@grpc/grpc-js';
import { times } from '../support/application/calls.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { bearer, connectClients, type Clients } from '../support/callers/grpc-clients.js';
import { isLong, printFigures, shortOrLong } from '../support/jest/long-form.js';
import { Person } from '../support/callers/person.js';
import { memoryMbOf } from '../support/processes/processes.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { inTurn, outcomeOf } from './measure.js';
import { SilentReader } from './silent-reader.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const OPEN_STREAMS = 10_000;
/** The service accepts up to 1,000 streams on a connection. */
const STREAMS_EACH = 500;
const SILENT_READERS = shortOrLong(5, 100);
const ABANDONED = 200_000;
const AT_ONCE = 500;
const CALLS = 50;
/**
 * Memory is measured in the long form. In the short form, a machine without time to collect garbage may use this much
 * more.
 */
const GARBAGE_MB = shortOrLong(300, 0);

describe('the service with greedy clients', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProcess;
  let others: Clients;
  let fullKey: string;
  const greedy: Clients[] = [];
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    service = await ServiceProcess.startReady({ DATABASE_URL: database.url, ...UNLIMITED });
    fullKey = (await (await new Person(service.url).signIn()).newKey()).fullKey;
    others = connectClients(service.target);
    await expectServed();
  });
  afterEach(() => {
    for (const clients of greedy.splice(0)) clients.close();
  });
  afterAll(async () => {
    others.close();
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  function connection(): Clients {
    const own = connectClients(service.target, {}, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    });
    greedy.push(own);
    return own;
  }
  const memoryMb = () => memoryMbOf(service.pid);
  /** The median wait of the other clients. */
  async function expectServed(): Promise<number> {
    const { outcomes, medianMs } = await inTurn(CALLS, () => outcomeOf(others.validate(fullKey)));
    expect(outcomes).toEqual(new Array(CALLS).fill('grant'));
    return Number(medianMs.toFixed(1));
  }
  const question = () => ({ apiKey: fullKey, operation: 'OPERATION_READ' as const });

  test('stops reading from clients that never read their answers, and serves the others with little memory', async () => {
    const beforeMb = memoryMb();
    let taken = 0;
    for (const { apiKeys } of times(SILENT_READERS, connection)) {
      const call = apiKeys.validateKeys(bearer('dev-validator-token'));
      call.on('error', () => undefined);
      const write = () => {
        do taken += 1;
        while (call.write(question()));
      };
      call.on('drain', write);
      write();
    }
    const answered = await untilStill(() => taken);
    const [othersMs, blockedMb] = [await expectServed(), memoryMb()];
    const questionsEach = Math.round(answered / SILENT_READERS);
    printFigures('clients that never read', { clients: SILENT_READERS, questionsEach, beforeMb, blockedMb, othersMs });
    expect(blockedMb - beforeMb).toBeLessThan(100 + SILENT_READERS / 2 + GARBAGE_MB);
  });

  test('closes the HTTP connections of clients that never read, and serves the others with little memory', async () => {
    const beforeMb = memoryMb();
    const silent = times(SILENT_READERS, () => new SilentReader(service.url, 1000));
    await untilStill(() => Math.round(memoryMb() / 32));
    const [othersMs, blockedMb] = [await expectServed(), memoryMb()];
    printFigures('HTTP clients that never read', { clients: SILENT_READERS, beforeMb, blockedMb, othersMs });
    // Each connection was cut off after its first packets. The memory of a thousand requests then waits for the garbage
    // collector.
    expect(blockedMb - beforeMb).toBeLessThan(100 + 20 * SILENT_READERS + GARBAGE_MB);
    for (const answers of await Promise.all(silent.map((one) => one.answersUntilClosed()))) {
      expect(answers).toBeLessThanOrEqual(32);
    }
  });

  if (isLong) {
    test('serves the other clients with little memory while some hold thousands of streams open', async () => {
      const beforeMb = memoryMb();
      const connections = times(OPEN_STREAMS / STREAMS_EACH, connection);
      let granted = 0;
      const opened = connections.flatMap(({ apiKeys }) =>
        times(STREAMS_EACH, () => {
          const call = apiKeys.validateKeys(bearer('dev-validator-token'));
          call.on('error', () => undefined);
          call.write(question());
          return new Promise<void>((resolve) => {
            call.once('data', ({ grant }) => {
              if (grant) granted += 1;
              resolve();
            });
            call.once('end', resolve);
          });
        }),
      );
      await Promise.all(opened);
      const [othersMs, openMb] = [await expectServed(), memoryMb()];
      printFigures('open streams', { streams: OPEN_STREAMS, granted, beforeMb, openMb, othersMs });
      expect(granted).toBe(OPEN_STREAMS);
      expect(openMb - beforeMb).toBeLessThan(60 + OPEN_STREAMS / 20 + GARBAGE_MB);
    });

    test('serves the other clients with little memory while some give up before they are answered', async () => {
      const beforeMb = memoryMb();
      const { apiKeys } = connection();
      let given = 0;
      const giveUp = () =>
        new Promise<void>((resolve) => {
          const deadline = Date.now() + 5;
          apiKeys.validateKey(question(), bearer('dev-validator-token'), { deadline }, (error) => {
            if (error?.code === status.DEADLINE_EXCEEDED) given += 1;
            resolve();
          });
        });
      for (let calls = 0; calls < ABANDONED; calls += AT_ONCE) await Promise.all(times(AT_ONCE, giveUp));
      const [othersMs, afterMb] = [await expectServed(), memoryMb()];
      printFigures('abandoned deadlines', { calls: ABANDONED, abandoned: given, beforeMb, afterMb, othersMs });
      expect(given).toBeGreaterThan(ABANDONED / 10);
      expect(afterMb - beforeMb).toBeLessThan(150 + GARBAGE_MB);
      expect(service.err).toBe('');
    });
  }
});

/** The value once it no longer changes. */
async function untilStill(read: () => number): Promise<number> {
  let seen = Number.NaN;
  while (seen !== (seen = read())) await pause(300);
  return seen;
}

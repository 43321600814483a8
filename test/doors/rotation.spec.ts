import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createGuard, type Guard } from '@latchkey/guard';
import { newOwner } from '../support/callers/owners.js';
import type { Person } from '../support/callers/person.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { CALL_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import { startService, type Service } from '../support/processes/service.js';
import { createDatabase } from '../support/stores/databases.mjs';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const GRACE_SECONDS = 2;
const PACE_MS = 5;

interface Request {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
}

/** A client that sends requests with one key all the time, through the guard and over gRPC at each instance. */
class Client {
  readonly requests: Request[] = [];
  private isOver = false;
  private readonly asking: Promise<unknown>;

  constructor(fullKey: string, guard: Guard, services: readonly Service[]) {
    const ways = [
      async () => {
        const decision = await guard.check({ authorization: [`Bearer ${fullKey}`], method: 'GET' });
        return decision.allowed ? 200 : decision.status;
      },
      ...services.map(({ clients }) => async () => {
        const { grant, denial } = await clients.validate(fullKey);
        return grant ? 200 : denial!.httpStatus;
      }),
    ];
    this.asking = Promise.all(ways.map((ask) => this.ask(ask)));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.asking;
  }

  private async ask(way: () => Promise<number>): Promise<void> {
    while (!this.isOver) {
      const sentAt = Date.now();
      const status = await way();
      this.requests.push({ sentAt, answeredAt: Date.now(), status });
      await pause(PACE_MS);
    }
  }
}

let database: Awaited<ReturnType<typeof createDatabase>>;
let services: Service[] = [];
let guard: Guard;
let person: Person;
beforeAll(async () => {
  database = await createDatabase();
  const env = { DATABASE_URL: database.url, ...UNLIMITED };
  services = [await startService(env), await startService(env)];
  person = (await newOwner(services[0]!)).person;
  guard = createGuard({
    target: `ipv4:${services.map(({ grpcTarget }) => grpcTarget).join(',')}`,
    serviceToken: 'dev-validator-token',
    deadlineMs: CALL_TIMEOUT_MS,
  });
});
afterAll(async () => {
  guard?.close();
  await Promise.all(services.map((service) => service.stop()));
  await database.drop();
});

test('under load on two instances, no request is refused before the old key ends, and none is granted after', async () => {
  const { apiKey, fullKey } = await person.newKey();
  const clients = [new Client(fullKey, guard, services)];
  const asked = (client: Client, count: number) => eventually(async () => client.requests.length >= count);
  await asked(clients[0]!, 30);
  const { body } = await person.rotate(apiKey.id, { graceSeconds: GRACE_SECONDS });
  const before = clients[0]!.requests.length;
  await asked(clients[0]!, before + 30);
  clients.push(new Client(body.fullKey, guard, services));
  await asked(clients[1]!, 30);
  const { endsAt } = (await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body;
  const endMs = Date.parse(endsAt);
  const after = () => clients[0]!.requests.filter(({ sentAt }) => sentAt >= endMs);
  await eventually(async () => after().length >= 30);
  for (const client of clients) await client.stop();

  const [old, next] = clients.map(({ requests }) => requests) as [Request[], Request[]];
  // The last millisecond before the end belongs to neither side, because the clocks are read before and after the
  // decision.
  const living = old.filter(({ answeredAt }) => answeredAt < endMs);
  const tally = (requests: readonly Request[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of requests) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  printFigures('rotation under load', {
    'old key before its end': JSON.stringify(tally(living)),
    'old key after its end': JSON.stringify(tally(after())),
    'new key': JSON.stringify(tally(next)),
  });
  expect(tally(living)).toEqual({ 200: living.length });
  expect(tally(after())).toEqual({ 401: after().length });
  expect(tally(next)).toEqual({ 200: next.length });
});

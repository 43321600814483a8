import { type ClientDuplexStream, Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { ValidateKeyRequest as Request } from '../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output as Response } from '../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { eventually } from '../support/eventually.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };

/** A stream and all its answers. */
class Conversation {
  readonly answers: Response[] = [];
  readonly call: ClientDuplexStream<Request, Response>;
  readonly ended: Promise<StatusObject>;

  constructor(service: Service, metadata = bearer('dev-validator-token')) {
    this.call = service.clients.apiKeys.validateKeys(metadata);
    this.ended = new Promise((resolve) => this.call.on('status', resolve));
    this.call.on('error', () => undefined);
  }

  read(): this {
    this.call.on('data', (answer: Response) => this.answers.push(answer));
    return this;
  }

  /** Writes as fast as the other side reads. */
  async ask(requests: Iterable<Request>): Promise<void> {
    for (const request of requests) if (!this.call.write(request)) await once(this.call, 'drain');
  }
}

function* questions(count: number, apiKey: (index: number) => string): Generator<Request> {
  for (let index = 0; index < count; index += 1) {
    yield { requestId: String(index), apiKey: apiKey(index), operation: 'OPERATION_READ' };
  }
}

describe('a stream of questions', () => {
  let service: Service;
  let keys: { id: string; fullKey: string }[];
  beforeAll(async () => {
    service = await startService(UNLIMITED);
    const { person } = await newOwner(service);
    keys = [];
    for (let count = 0; count < 3; count += 1) {
      const { apiKey, fullKey } = await person.newKey();
      keys.push({ id: apiKey.id, fullKey });
    }
  });
  afterAll(() => service.stop());

  /** The number of refused questions on the audit trail. */
  const recorded = async (url = service.databaseUrl) => {
    const [row] = await sql<{ sum: string | null }>(
      url,
      `SELECT sum(count) FROM audit_events WHERE type = 'authentication.failed'`,
    );
    return Number(row!.sum ?? 0);
  };

  test('gets 10,000 answers, each the one to its own request_id, and OK at the end', async () => {
    const conversation = new Conversation(service).read();
    const unknown = unknownKey();
    const keyOf = (index: number) => (index % 4 === 3 ? unknown : keys[index % 4]!.fullKey);
    await conversation.ask(questions(10_000, keyOf));
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    expect(conversation.answers).toHaveLength(10_000);
    expect(new Set(conversation.answers.map(({ requestId }) => requestId)).size).toBe(10_000);
    const wrong = conversation.answers.filter(({ requestId, grant, denial }) => {
      const index = Number(requestId) % 4;
      return index === 3 ? denial?.reason !== 'REASON_INVALID_KEY' : grant?.keyId !== keys[index]!.id;
    });
    expect(wrong).toEqual([]);
  });

  test('gets a Failure for a broken question, and lives on', async () => {
    const conversation = new Conversation(service).read();
    const fullKey = keys[0]!.fullKey;
    await conversation.ask([
      { requestId: 'no credential', operation: 'OPERATION_READ' },
      { requestId: 'no operation', apiKey: fullKey },
      { requestId: 'bad permission', apiKey: fullKey, operation: 'OPERATION_READ', permission: '*' },
      { requestId: 'good', apiKey: fullKey, operation: 'OPERATION_READ' },
      { requestId: 'refused', authorization: '', operation: 'OPERATION_READ' },
    ]);
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    const byId = new Map(conversation.answers.map((answer) => [answer.requestId, answer]));
    for (const [id, field] of [
      ['no credential', 'credential'],
      ['no operation', 'operation'],
      ['bad permission', 'permission'],
    ]) {
      const failure = { code: status.INVALID_ARGUMENT, message: expect.stringMatching(`^${field} `) };
      expect(byId.get(id!)).toMatchObject({ outcome: 'failure', failure, rateLimit: null });
    }
    expect(byId.get('good')?.grant?.keyId).toBe(keys[0]!.id);
    expect(byId.get('refused')?.denial?.reason).toBe('REASON_INVALID_KEY');
  });

  test('that asks nothing ends with OK', async () => {
    const conversation = new Conversation(service).read();
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    expect(conversation.answers).toEqual([]);
  });

  test('gets the answers to all that was asked before its half-close', async () => {
    const conversation = new Conversation(service).read();
    for (const question of questions(2000, () => keys[0]!.fullKey)) conversation.call.write(question);
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    expect(conversation.answers.filter(({ grant }) => grant)).toHaveLength(2000);
  });

  test('is read no further while its answers are not: the questions that are open stay few', async () => {
    const total = 12_000;
    const before = await recorded();
    const conversation = new Conversation(service);
    // grpc-js slows the other side down only after it has begun to read.
    conversation.call.once('data', (answer: Response) => {
      conversation.answers.push(answer);
      conversation.call.pause();
    });
    const unknown = unknownKey();
    const asked = conversation.ask(questions(total, () => unknown));
    let seen = -1;
    // Waits until two checks, with other work answered in between, see the same number.
    const settled = await eventually(async () => {
      const now = (await recorded()) - before;
      const isSettled = now > 0 && now === seen;
      seen = now;
      for (let other = 0; other < 20; other += 1) await service.clients.validate(keys[0]!.fullKey);
      return isSettled ? now : undefined;
    });
    // Only what fits into the flow-control windows and buffers between the two. A busy client has more of them.
    expect(settled).toBeLessThan(total / 2);
    conversation.read().call.resume();
    await asked;
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    expect(conversation.answers).toHaveLength(total);
    expect((await recorded()) - before).toBe(total);
  });

  test('can be cancelled in the middle, and the service is none the worse', async () => {
    for (let round = 0; round < 5; round += 1) {
      const conversation = new Conversation(service).read();
      const asked = conversation.ask(questions(5000, () => keys[1]!.fullKey)).catch(() => undefined);
      await once(conversation.call, 'data');
      conversation.call.cancel();
      expect((await conversation.ended).code).toBe(status.CANCELLED);
      await Promise.race([asked, conversation.ended]);
    }
    const after = new Conversation(service).read();
    await after.ask(questions(10, () => keys[1]!.fullKey));
    after.call.end();
    expect((await after.ended).code).toBe(status.OK);
    expect(after.answers).toHaveLength(10);
  });

  test.each([
    ['nobody', new Metadata(), status.UNAUTHENTICATED],
    ['an unknown token', bearer('unknown'), status.UNAUTHENTICATED],
    ['another role', bearer('dev-accounts-token'), status.PERMISSION_DENIED],
  ])('from %s is refused at once, whatever it goes on to ask', async (_, metadata, code) => {
    const before = await recorded();
    const conversation = new Conversation(service, metadata).read();
    for (const question of questions(100, () => unknownKey())) conversation.call.write(question);
    expect((await conversation.ended).code).toBe(code);
    expect(conversation.answers).toEqual([]);
    expect((await service.clients.validate(keys[0]!.fullKey)).grant).toBeTruthy();
    expect(await recorded()).toBe(before);
  });

  test('is answered what was read of it, and ended with OK, when the server stops', async () => {
    const stopping = await startService(UNLIMITED);
    const url = stopping.databaseUrl;
    const second = await startService({ ...UNLIMITED, DATABASE_URL: url });
    try {
      const conversation = new Conversation(second).read();
      const unknown = unknownKey();
      const asking = conversation.ask(questions(1_000_000, () => unknown)).catch(() => undefined);
      await once(conversation.call, 'data');
      await second.stop();
      const { code } = await conversation.ended;
      expect(code).toBe(status.OK);
      await Promise.race([asking, conversation.ended]);
      expect(conversation.answers.length).toBeGreaterThan(0);
      // A question is recorded before it is answered, so every question that was read was also answered.
      expect(conversation.answers.length).toBe(await recorded(url));
      expect(conversation.answers.every(({ denial }) => denial?.reason === 'REASON_INVALID_KEY')).toBe(true);
    } finally {
      await stopping.stop();
    }
  });
});

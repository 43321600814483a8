import { type ClientDuplexStream, Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { ValidateKeyRequest as Request } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output as Response } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
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
  async send(requests: Iterable<Request>): Promise<void> {
    for (const request of requests) if (!this.call.write(request)) await once(this.call, 'drain');
  }
}

function* requests(count: number, apiKey: (index: number) => string): Generator<Request> {
  for (let index = 0; index < count; index += 1) {
    yield { requestId: String(index), apiKey: apiKey(index), operation: 'OPERATION_READ' };
  }
}

describe('ValidateKeys', () => {
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

  /** The number of denied validations on the audit trail. */
  const recorded = async (url = service.databaseUrl) => {
    const [row] = await sql<{ sum: string | null }>(
      url,
      `SELECT sum(count) FROM audit_events WHERE type = 'authentication.failed'`,
    );
    return Number(row!.sum ?? 0);
  };

  test('answers 10,000 requests, each under its own request_id, and ends with OK', async () => {
    const conversation = new Conversation(service).read();
    const unknown = unknownKey();
    const keyOf = (index: number) => (index % 4 === 3 ? unknown : keys[index % 4]!.fullKey);
    await conversation.send(requests(10_000, keyOf));
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

  test('answers a malformed request with a Failure, and keeps working', async () => {
    const conversation = new Conversation(service).read();
    const fullKey = keys[0]!.fullKey;
    await conversation.send([
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

  test('ends with OK when nothing was sent', async () => {
    const conversation = new Conversation(service).read();
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    expect(conversation.answers).toEqual([]);
  });

  test('answers every request that was sent before the half-close', async () => {
    const conversation = new Conversation(service).read();
    for (const request of requests(2000, () => keys[0]!.fullKey)) conversation.call.write(request);
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    expect(conversation.answers.filter(({ grant }) => grant)).toHaveLength(2000);
  });

  test('stops reading requests while the client does not read the answers', async () => {
    const total = 12_000;
    const before = await recorded();
    const conversation = new Conversation(service);
    // grpc-js slows the other side down only after it has begun to read.
    conversation.call.once('data', (answer: Response) => {
      conversation.answers.push(answer);
      conversation.call.pause();
    });
    const unknown = unknownKey();
    const sending = conversation.send(requests(total, () => unknown));
    let seen = -1;
    // Waits until two checks, with other work answered in between, see the same number.
    const settled = await eventually(async () => {
      const now = (await recorded()) - before;
      const isSettled = now > 0 && now === seen;
      seen = now;
      for (let other = 0; other < 20; other += 1) await service.clients.validate(keys[0]!.fullKey);
      return isSettled ? now : undefined;
    });
    // Only what fits into the flow-control windows and buffers between client and server.
    expect(settled).toBeLessThan(total / 2);
    conversation.read().call.resume();
    await sending;
    conversation.call.end();
    expect((await conversation.ended).code).toBe(status.OK);
    expect(conversation.answers).toHaveLength(total);
    expect((await recorded()) - before).toBe(total);
  });

  test('keeps working after streams that were cancelled', async () => {
    for (let round = 0; round < 5; round += 1) {
      const conversation = new Conversation(service).read();
      const sending = conversation.send(requests(5000, () => keys[1]!.fullKey)).catch(() => undefined);
      await once(conversation.call, 'data');
      conversation.call.cancel();
      expect((await conversation.ended).code).toBe(status.CANCELLED);
      await Promise.race([sending, conversation.ended]);
    }
    const after = new Conversation(service).read();
    await after.send(requests(10, () => keys[1]!.fullKey));
    after.call.end();
    expect((await after.ended).code).toBe(status.OK);
    expect(after.answers).toHaveLength(10);
  });

  test.each([
    ['a caller without a token', new Metadata(), status.UNAUTHENTICATED],
    ['an unknown token', bearer('unknown'), status.UNAUTHENTICATED],
    ['another role', bearer('dev-accounts-token'), status.PERMISSION_DENIED],
  ])('refuses %s at once, before any request is validated', async (_, metadata, code) => {
    const before = await recorded();
    const conversation = new Conversation(service, metadata).read();
    for (const request of requests(100, () => unknownKey())) conversation.call.write(request);
    expect((await conversation.ended).code).toBe(code);
    expect(conversation.answers).toEqual([]);
    expect((await service.clients.validate(keys[0]!.fullKey)).grant).toBeTruthy();
    expect(await recorded()).toBe(before);
  });

  test('answers every request that was read, and ends with OK, when the server stops', async () => {
    const stopping = await startService(UNLIMITED);
    const url = stopping.databaseUrl;
    const second = await startService({ ...UNLIMITED, DATABASE_URL: url });
    try {
      const conversation = new Conversation(second).read();
      const unknown = unknownKey();
      const sending = conversation.send(requests(1_000_000, () => unknown)).catch(() => undefined);
      await once(conversation.call, 'data');
      await second.stop();
      const { code } = await conversation.ended;
      expect(code).toBe(status.OK);
      await Promise.race([sending, conversation.ended]);
      expect(conversation.answers.length).toBeGreaterThan(0);
      // A denial is recorded before it is answered, so every request that was read was also answered.
      expect(conversation.answers.length).toBe(await recorded(url));
      expect(conversation.answers.every(({ denial }) => denial?.reason === 'REASON_INVALID_KEY')).toBe(true);
    } finally {
      await stopping.stop();
    }
  });
});

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { type Guard, createGuard } from '../guard.js';
import type { FailureEvent } from '../hooks.js';
import { granted } from '../testing/answers.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';

const question = { authorization: ['Bearer k'], method: 'GET' };
const away = { code: status.UNAVAILABLE, details: 'the database is away' };
type Reply = Parameters<ScriptedLatchkey['script']>[1];

const latchkey = new ScriptedLatchkey();
let failures: FailureEvent[];
let guard: Guard;

async function open(deadlineMs = latchkey.options.deadlineMs): Promise<void> {
  const onError = (event: FailureEvent) => failures.push(event);
  guard = createGuard({ ...latchkey.options, serviceToken: 'token', deadlineMs, onError });
  await latchkey.hasStreamsOf(guard);
}

/** Answers the first request in this way, and grants all later ones. */
function answerFirst(answer: (reply: Reply) => void): void {
  latchkey.script = (_, reply) => (latchkey.questions.length === 1 ? answer(reply) : reply(null, granted()));
}

beforeEach(async () => {
  failures = [];
  latchkey.answersByStream = undefined;
  latchkey.questions.length = 0;
  await latchkey.start();
});

afterEach(() => {
  jest.restoreAllMocks();
  guard.close();
  latchkey.stop();
});

describe('a request that the service refuses', () => {
  it('is sent again after UNAVAILABLE, with the same request id and without an error', async () => {
    await open();
    answerFirst((reply) => reply(away));
    expect(await guard.check(question)).toMatchObject({ allowed: true });
    expect(latchkey.questions).toHaveLength(2);
    expect(new Set(latchkey.questions.map(({ requestId }) => requestId)).size).toBe(1);
    expect(failures).toEqual([]);
  });

  it('is sent twice at most, because each time may be charged to the key', async () => {
    await open();
    latchkey.script = (_, reply) => reply(away);
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(2);
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE', message: 'the database is away' }]);
  });

  it('is sent again on the other connection, which may lead to another instance', async () => {
    await open();
    const [broken] = latchkey.streams;
    latchkey.answersByStream = (stream, reply) => (stream === broken ? reply(away) : reply(null, granted()));
    for (let n = 0; n < 10; n += 1) expect(await guard.check(question)).toMatchObject({ allowed: true });
  });

  it.each([
    status.INTERNAL,
    status.UNKNOWN,
    status.CANCELLED,
    status.ABORTED,
    status.DEADLINE_EXCEEDED,
    status.RESOURCE_EXHAUSTED,
    status.UNAUTHENTICATED,
    status.INVALID_ARGUMENT,
  ])('is not sent again after gRPC status %d', async (code) => {
    await open();
    answerFirst((reply) => reply({ code, details: 'no' }));
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(1);
  });

  it('is not sent again when a second answer as slow as the first would come after the deadline', async () => {
    await open(60_000);
    const realNow = performance.now.bind(performance);
    answerFirst((reply) => {
      jest.spyOn(performance, 'now').mockImplementation(() => realNow() + 31_000);
      reply(away);
    });
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(1);
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE' }]);
  });

  it('fails at the deadline of the first try, with the error of the first try', async () => {
    await open(2000);
    latchkey.script = (_, reply) => {
      if (latchkey.questions.length === 1) reply(away);
    };
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(latchkey.questions).toHaveLength(2);
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE', message: 'the database is away' }]);
  });
});

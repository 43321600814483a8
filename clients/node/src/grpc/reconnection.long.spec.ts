import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { type Guard, createGuard } from '../guard.js';
import type { FailureEvent } from '../hooks.js';
import { granted } from '../testing/answers.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';
import { TcpRelay } from '../testing/tcp-relay.js';

const question = { authorization: ['Bearer k'], method: 'GET' };
type Reply = Parameters<ScriptedLatchkey['script']>[1];

let latchkey: ScriptedLatchkey;
let relay: TcpRelay;
let failures: FailureEvent[];
let held: Reply[];
let guard: Guard;

function open(): void {
  guard = createGuard({
    ...latchkey.options,
    target: relay.target,
    serviceToken: 'token',
    onError: (event) => failures.push(event),
  });
}

/** The service may know about a stream before the guard does. Until then, the guard uses unary calls. */
async function usesStreams(): Promise<boolean> {
  const before = latchkey.unaryQuestions;
  await guard.check(question);
  return latchkey.unaryQuestions === before;
}

beforeEach(async () => {
  failures = [];
  held = [];
  latchkey = new ScriptedLatchkey();
  latchkey.answers(granted());
  await latchkey.start();
  relay = await TcpRelay.to(latchkey.port);
});

afterEach(() => {
  guard.close();
  relay.close();
  latchkey.stop();
});

describe('the streams to the service', () => {
  it('repeats requests that a stream did not answer before it ended in order', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    latchkey.script = (_, reply) => held.push(reply);
    const answer = guard.check(question);
    await eventually(() => held.length === 1);
    latchkey.endStreams();
    await eventually(() => held.length === 2);
    held[1]!(null, granted());
    expect(await answer).toMatchObject({ allowed: true });
    expect(new Set(latchkey.questions.map(({ requestId }) => requestId)).size).toBe(1);
  });

  it('repeats a request once when its connection breaks', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    const replies = new Map<string, Reply>();
    latchkey.script = ({ requestId }, reply) => replies.set(requestId, reply);
    const saved = guard.check({ ...question, requestId: 'saved' });
    const lost = guard.check({ ...question, requestId: 'lost' });
    await eventually(() => latchkey.questions.length === 2);
    relay.breakAll();
    await eventually(() => latchkey.questions.length === 4);
    replies.get('saved')!(null, granted());
    expect(await saved).toMatchObject({ allowed: true });
    relay.breakAll();
    expect(await lost).toMatchObject({ status: 503 });
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE', requestId: 'lost' }]);
    expect(latchkey.questions).toHaveLength(4);
  });

  it('moves to a new connection when the service ends an old one, without failing a request', async () => {
    latchkey.stop();
    // The service closes no connection on which an answer is still to be sent, however slow the machine is.
    const ageing = { 'grpc.max_connection_age_ms': 300, 'grpc.max_connection_age_grace_ms': 60_000 };
    await latchkey.start(undefined, ageing);
    latchkey.script = (_, reply) => setTimeout(() => reply(null, granted()), 5);
    open();
    await latchkey.hasStreamsOf(guard);
    let isOver = false;
    const refused: unknown[] = [];
    const load = Array.from({ length: 20 }, async () => {
      while (!isOver) {
        const decision = await guard.check(question);
        if (!decision.allowed) refused.push(decision);
      }
    });
    await eventually(() => latchkey.streamsOpened >= 10);
    isOver = true;
    await Promise.all(load);
    expect([refused, failures]).toEqual([[], []]);
  });

  it('reports why streams are refused, and retries', async () => {
    latchkey.refusal = { code: status.UNAUTHENTICATED, details: 'who are you?' };
    open();
    expect(await guard.check(question)).toMatchObject({ status: 503 });
    expect(failures).toMatchObject([{ code: 'UNAUTHENTICATED', message: 'who are you?' }]);
    await eventually(() => latchkey.streamsOpened >= 6);
    latchkey.refusal = undefined;
    await eventually(async () => (await guard.check(question)).allowed);
    await eventually(usesStreams);
  });

  it('gets the answers to sent requests after it is closed, and then closes its connections', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    latchkey.script = (_, reply) => held.push(reply);
    const answer = guard.check(question);
    // On a busy machine the guard may have sent the question twice, over both of its streams.
    await eventually(() => held.length > 0);
    guard.close();
    await eventually(() => latchkey.streams.size <= held.length);
    for (const reply of held) reply(null, granted());
    expect(await answer).toMatchObject({ allowed: true });
    await eventually(() => latchkey.streams.size === 0);
    await eventually(() => relay.openConnections === 0);
  });
});

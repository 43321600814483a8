import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { type Guard, createGuard } from '../guard.js';
import type { FailureEvent } from '../hooks.js';
import { denied, granted } from '../testing/answers.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';

type Script = ScriptedLatchkey['script'];

const latchkey = new ScriptedLatchkey();
let failures: FailureEvent[];
let held: Parameters<Script>[];
let guard: Guard;

function open(deadlineMs = latchkey.options.deadlineMs): void {
  guard = createGuard({
    ...latchkey.options,
    serviceToken: 'token',
    deadlineMs,
    onError: (event) => failures.push(event),
  });
}
const check = (key: string, requestId?: string) =>
  guard.check({ authorization: [`Bearer ${key}`], method: 'GET', requestId });
const hold: Script = (...question) => void held.push(question);
const grantToSender: Script = ({ authorization }, reply) => reply(null, granted({ ownerId: authorization ?? '' }));

beforeEach(async () => {
  failures = [];
  held = [];
  latchkey.questions.length = 0;
  latchkey.unaryQuestions = 0;
  latchkey.streamsOpened = 0;
  latchkey.answers(granted());
  await latchkey.start();
});

afterEach(() => {
  guard.close();
  latchkey.stop();
});

describe('requests over streams', () => {
  it('use a stream on each of two connections, and are answered in any order', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    latchkey.script = hold;
    const answers = [check('a'), check('b'), check('c')];
    await eventually(() => held.length === 3);
    for (const question of held.reverse()) grantToSender(...question);
    const owners = (await Promise.all(answers)).map((answer) => answer.allowed && answer.principal.ownerId);
    expect(owners).toEqual(['Bearer a', 'Bearer b', 'Bearer c']);
    expect(new Set([...latchkey.streams].map((stream) => stream.getPeer())).size).toBe(2);
    expect(latchkey.unaryQuestions).toBe(0);
  });

  it('with the same request id each get their own answer', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    latchkey.script = hold;
    const answers = ['a', 'b', 'c', 'd'].map((key) => check(key, 'same'));
    await eventually(() => held.length === 4);
    for (const question of held.reverse()) grantToSender(...question);
    const owners = (await Promise.all(answers)).map((answer) => answer.allowed && answer.principal.ownerId);
    expect(owners).toEqual(['Bearer a', 'Bearer b', 'Bearer c', 'Bearer d']);
    expect(latchkey.questions.map(({ requestId }) => requestId)).toEqual(['same', 'same', 'same', 'same']);
    // A stream carries at most one of them; a stream that has only just opened may carry none.
    expect(latchkey.unaryQuestions).toBeGreaterThanOrEqual(2);
  });

  it('do not get a late answer to an earlier request with the same id', async () => {
    open(1500);
    await latchkey.hasStreamsOf(guard);
    latchkey.script = hold;
    expect(await Promise.all([check('a', 'same'), check('b', 'same')])).toMatchObject([
      { status: 503 },
      { status: 503 },
    ]);
    const third = check('c', 'same');
    await eventually(() => held.length === 3);
    for (const [, reply] of held.slice(0, 2)) reply(null, granted());
    held[2]![1](null, denied());
    expect(await third).toMatchObject({ status: 401 });
  });

  it('are not affected by an answer with an unknown request id', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    latchkey.script = hold;
    const answer = check('a', 'mine');
    await eventually(() => held.length === 1);
    for (const stream of latchkey.streams) stream.write({ ...granted(), requestId: 'stranger' });
    held[0]![1](null, denied());
    expect(await answer).toMatchObject({ status: 401 });
  });

  it('fail one by one, as separate calls would', async () => {
    open();
    latchkey.script = ({ authorization }, reply) => {
      if (authorization === 'Bearer a') reply({ code: status.UNAVAILABLE, details: 'the database is away' });
      else reply(null, granted());
    };
    const answers = await Promise.all([check('a', 'one'), check('b'), check('c')]);
    expect(answers).toMatchObject([{ status: 503 }, { allowed: true }, { allowed: true }]);
    expect(failures).toEqual([{ code: 'UNAVAILABLE', message: 'the database is away', requestId: 'one' }]);
    expect(latchkey.questions.filter(({ requestId }) => requestId !== 'one')).toHaveLength(2);
  });

  it('are sent as a unary call if they are too long for a shared stream', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    const permission = 'x'.repeat(40_000);
    expect(await guard.check({ authorization: [], method: 'GET', permission })).toMatchObject({ allowed: true });
    expect(latchkey.unaryQuestions).toBe(1);
  });

  it('are refused if a unary call brings the answer to another request', async () => {
    open();
    await latchkey.hasStreamsOf(guard);
    latchkey.answers({ ...granted(), requestId: 'of another' });
    const permission = 'x'.repeat(40_000);
    expect(await guard.check({ authorization: [], method: 'GET', permission })).toMatchObject({ status: 503 });
    expect(failures).toMatchObject([{ code: 'INTERNAL', message: 'the answer is that to another request' }]);
  });

  it('are limited in number, and those past the limit are refused', async () => {
    open(600_000);
    await latchkey.hasStreamsOf(guard);
    latchkey.script = hold;
    const answers = Array.from({ length: 3000 }, (_, n) => check(`${n}`));
    await eventually(() => failures.length === 952 && held.length === 2048);
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['RESOURCE_EXHAUSTED']));
    for (const [, reply] of held) reply(null, granted());
    expect((await Promise.all(answers)).filter(({ allowed }) => allowed)).toHaveLength(2048);
    latchkey.answers(granted());
    expect(await check('later')).toMatchObject({ allowed: true });
  });
});

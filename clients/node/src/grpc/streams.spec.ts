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

function open(deadlineMs: number): void {
  guard = createGuard({
    target: latchkey.target,
    serviceToken: 'token',
    deadlineMs,
    onError: (event) => failures.push(event),
  });
}
const ask = (key: string, requestId?: string) =>
  guard.check({ authorization: [`Bearer ${key}`], method: 'GET', requestId });
const hold: Script = (...question) => void held.push(question);
const grantToWhoeverAsks: Script = ({ authorization }, reply) => reply(null, granted({ ownerId: authorization ?? '' }));

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

describe('questions over streams', () => {
  it('asks over streams on two connections, and answers each as its answer comes', async () => {
    open(5000);
    await eventually(() => latchkey.streams.size === 2);
    latchkey.script = hold;
    const answers = [ask('a'), ask('b'), ask('c')];
    await eventually(() => held.length === 3);
    for (const question of held.reverse()) grantToWhoeverAsks(...question);
    const owners = (await Promise.all(answers)).map((answer) => answer.allowed && answer.principal.ownerId);
    expect(owners).toEqual(['Bearer a', 'Bearer b', 'Bearer c']);
    expect(new Set([...latchkey.streams].map((stream) => stream.getPeer())).size).toBe(2);
    expect(latchkey.unaryQuestions).toBe(0);
  });

  it('never gives an answer to another question with the same request id, and leaves the id as it is', async () => {
    open(5000);
    await eventually(() => latchkey.streams.size === 2);
    latchkey.script = hold;
    const answers = ['a', 'b', 'c', 'd'].map((key) => ask(key, 'same'));
    await eventually(() => held.length === 4);
    for (const question of held.reverse()) grantToWhoeverAsks(...question);
    const owners = (await Promise.all(answers)).map((answer) => answer.allowed && answer.principal.ownerId);
    expect(owners).toEqual(['Bearer a', 'Bearer b', 'Bearer c', 'Bearer d']);
    expect(latchkey.questions.map(({ requestId }) => requestId)).toEqual(['same', 'same', 'same', 'same']);
    // A stream carries at most one of them; a stream that has only just opened may carry none.
    expect(latchkey.unaryQuestions).toBeGreaterThanOrEqual(2);
  });

  it('drops an answer that comes too late, even when its request id is asked about again', async () => {
    open(1500);
    await eventually(() => latchkey.streams.size === 2);
    latchkey.script = hold;
    expect(await Promise.all([ask('a', 'same'), ask('b', 'same')])).toMatchObject([{ status: 503 }, { status: 503 }]);
    const third = ask('c', 'same');
    await eventually(() => held.length === 3);
    for (const [, reply] of held.slice(0, 2)) reply(null, granted());
    held[2]![1](null, denied());
    expect(await third).toMatchObject({ status: 401 });
  });

  it('drops an answer to a question that nobody asked', async () => {
    open(5000);
    await eventually(() => latchkey.streams.size === 2);
    latchkey.script = hold;
    const answer = ask('a', 'mine');
    await eventually(() => held.length === 1);
    for (const stream of latchkey.streams) stream.write({ ...granted(), requestId: 'stranger' });
    held[0]![1](null, denied());
    expect(await answer).toMatchObject({ status: 401 });
  });

  it('fails one question on a failure, as its own call would have', async () => {
    open(5000);
    latchkey.script = ({ authorization }, reply) => {
      if (authorization === 'Bearer a') reply({ code: status.UNAVAILABLE, details: 'the database is away' });
      else reply(null, granted());
    };
    const answers = await Promise.all([ask('a', 'one'), ask('b'), ask('c')]);
    expect(answers).toMatchObject([{ status: 503 }, { allowed: true }, { allowed: true }]);
    expect(failures).toEqual([{ code: 'UNAVAILABLE', message: 'the database is away', requestId: 'one' }]);
    expect(latchkey.questions.filter(({ requestId }) => requestId !== 'one')).toHaveLength(2);
  });

  it('asks a question that is too long for a stream, which others share, by itself', async () => {
    open(5000);
    await eventually(() => latchkey.streams.size === 2);
    const permission = 'x'.repeat(40_000);
    expect(await guard.check({ authorization: [], method: 'GET', permission })).toMatchObject({ allowed: true });
    expect(latchkey.unaryQuestions).toBe(1);
  });

  it('lets only so many questions out and only so many wait, and answers all but those past that', async () => {
    open(20_000);
    await eventually(() => latchkey.streams.size === 2);
    latchkey.script = hold;
    const askMany = (count: number) => Array.from({ length: count }, (_, n) => ask(`${n}`));
    // So that as many streams are open as allowed.
    const answers = askMany(2000);
    await eventually(() => held.length === 2000);
    expect(latchkey.streams.size).toBe(32);
    answers.push(...askMany(6000));
    await eventually(() => failures.length > 0 && held.length === 4096);
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['RESOURCE_EXHAUSTED']));
    const refused = failures.length;
    latchkey.answers(granted());
    for (const [, reply] of held) reply(null, granted());
    expect((await Promise.all(answers)).filter(({ allowed }) => allowed)).toHaveLength(8000 - refused);
    expect(failures).toHaveLength(refused);
    // The first of them found other questions waiting already.
    expect(8000 - refused).toBeGreaterThan(4096);
  });

  it('gives up a stream that answers nothing any more', async () => {
    open(20);
    latchkey.hangs();
    await eventually(async () => !(await ask('a')).allowed && latchkey.streamsOpened > 2);
    latchkey.answers(granted());
    await eventually(async () => (await ask('a')).allowed);
  });
});

import { EventEmitter } from 'node:events';
import { afterEach, expect, jest, test } from '@jest/globals';
import { answerRequests } from './answer-requests.js';
import { type Message, Requests } from './requests.js';

/** One end of a channel. Messages arrive at the other end as text. */
class End extends EventEmitter {
  connected = true;
  other: End | undefined;

  send(message: Message): boolean {
    const text = JSON.stringify(message);
    return setImmediate(() => this.other!.emit('message', JSON.parse(text))) !== undefined;
  }

  disconnect(): void {
    for (const end of [this, this.other!]) {
      end.connected = false;
      end.emit('disconnect');
    }
  }
}

function channel(): [near: End, far: End] {
  const [near, far] = [new End(), new End()];
  near.other = far;
  far.other = near;
  return [near, far];
}

afterEach(() => void jest.useRealTimers());

/** Until all messages that were sent have arrived. */
const arrived = () => new Promise(setImmediate);

const unavailable = { code: 'unavailable', message: 'Nobody answers' };

test('each request gets its own answer in any order and in both directions', async () => {
  const [near, far] = channel();
  const waiting: (() => void)[] = [];
  answerRequests(far, async (n: number) => {
    await new Promise<void>((resolve) => waiting.unshift(resolve));
    return n + 1;
  });
  answerRequests(near, async (n: number) => n * 10);
  const there = new Requests<number, number>(near, 'Nobody answers');
  const back = new Requests<number, number>(far, 'Nobody answers');
  const answers = [there.send(1), there.send(2), back.send(1), back.send(2)];
  expect(await Promise.all(answers.slice(2))).toEqual([10, 20]);
  for (const answer of waiting) answer();
  expect(await Promise.all(answers)).toEqual([2, 3, 10, 20]);
});

test('an error arrives with its message, and other messages are ignored', async () => {
  const [near, far] = channel();
  answerRequests(far, async () => Promise.reject(new Error('too expensive')));
  const answer = new Requests<string, string>(near, 'Nobody answers').send('x');
  for (const end of [near, far]) end.emit('message', { ready: true });
  await expect(answer).rejects.toThrow('too expensive');
});

test('a request fails with unavailable after the timeout, and its late answer is ignored', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const [near, far] = channel();
  let answer: ((text: string) => void) | undefined;
  answerRequests(far, () => new Promise<string>((resolve) => (answer = resolve)));
  const requests = new Requests<string, string>(near, 'Nobody answers', 30);
  const late = requests.send('x');
  await arrived();
  jest.advanceTimersByTime(30);
  await expect(late).rejects.toMatchObject(unavailable);
  answer!('late');
  const next = requests.send('y');
  await arrived();
  jest.advanceTimersByTime(29);
  answer!('in time');
  expect(await next).toBe('in time');
});

test('open requests fail with unavailable when the channel or the requester closes', async () => {
  for (const close of ['channel', 'requester']) {
    const [near, far] = channel();
    answerRequests(far, () => new Promise<never>(() => undefined));
    const requests = new Requests<string, string>(near, 'Nobody answers');
    const outcomes = Promise.allSettled([requests.send('x'), requests.send('y')]);
    if (close === 'channel') near.disconnect();
    else requests.close();
    expect((await outcomes).map((one) => (one as PromiseRejectedResult).reason)).toMatchObject([
      unavailable,
      unavailable,
    ]);
  }
});

import { expect, test } from '@jest/globals';
import { CrowdReader } from './crowd-reader.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Reads that end when the test ends them. */
function heldReads() {
  const sent: { keys: readonly string[]; answer(): Promise<void>; fail(error: Error): Promise<void> }[] = [];
  const reader = new CrowdReader<string>(
    'test',
    (keys) =>
      new Promise((resolve, reject) => {
        sent.push({
          keys,
          answer: () => {
            resolve(new Map(keys.filter((one) => one !== 'nobody').map((one) => [one, one.toUpperCase()])));
            return turn();
          },
          fail: (error) => {
            reject(error);
            return turn();
          },
        });
      }),
  );
  return { reader, sent };
}

test('runs one read at a time, so that a later call waits for two reads at most', async () => {
  const { reader, sent } = heldReads();
  const answers: (string | undefined)[] = [];
  const read = (one: string) => void reader.read(one).then((answer) => answers.push(answer));
  read('ada');
  await turn();
  for (const one of ['nobody', 'grace', 'grace', 'nobody']) read(one);
  await turn();
  expect(sent.map(({ keys }) => keys)).toEqual([['ada']]);
  await sent[0]!.answer();
  expect(answers).toEqual(['ADA']);
  expect(sent.map(({ keys }) => keys)).toEqual([['ada'], ['nobody', 'grace']]);
  await sent[1]!.answer();
  expect(answers).toEqual(['ADA', undefined, 'GRACE', 'GRACE', undefined]);
});

test('never answers a call with a read that was sent before it', async () => {
  const { reader, sent } = heldReads();
  const [first] = [reader.read('ada'), await turn()];
  const second = reader.read('ada');
  await turn();
  await sent[0]!.answer();
  expect([await first, sent.length]).toEqual(['ADA', 2]);
  await sent[1]!.answer();
  expect(await second).toBe('ADA');
});

test('fails all calls of a failed read, and runs the next read', async () => {
  const { reader, sent } = heldReads();
  const failed = ['ada', 'grace'].map((one) => reader.read(one).catch((error: Error) => error.message));
  await turn();
  await sent[0]!.fail(new Error('away'));
  expect(await Promise.all(failed)).toEqual(['away', 'away']);
  const next = reader.read('ada');
  await turn();
  await sent[1]!.answer();
  expect(await next).toBe('ADA');
});

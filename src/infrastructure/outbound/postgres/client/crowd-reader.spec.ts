import { expect, test } from '@jest/globals';
import { CrowdReader } from './crowd-reader.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Reads that end when the test ends them. */
function heldReads() {
  const sent: { asked: readonly string[]; answer(): Promise<void>; fail(error: Error): Promise<void> }[] = [];
  const reader = new CrowdReader<string>(
    'test',
    (asked) =>
      new Promise((resolve, reject) => {
        sent.push({
          asked,
          answer: () => {
            resolve(new Map(asked.filter((one) => one !== 'nobody').map((one) => [one, one.toUpperCase()])));
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

test('a crowd is read one statement after the other, and one who comes later waits for two', async () => {
  const { reader, sent } = heldReads();
  const answers: (string | undefined)[] = [];
  const ask = (one: string) => void reader.read(one).then((answer) => answers.push(answer));
  ask('ada');
  await turn();
  for (const one of ['nobody', 'grace', 'grace', 'nobody']) ask(one);
  await turn();
  expect(sent.map(({ asked }) => asked)).toEqual([['ada']]);
  await sent[0]!.answer();
  expect(answers).toEqual(['ADA']);
  expect(sent.map(({ asked }) => asked)).toEqual([['ada'], ['nobody', 'grace']]);
  await sent[1]!.answer();
  expect(answers).toEqual(['ADA', undefined, 'GRACE', 'GRACE', undefined]);
});

test('a question is never answered by a read that was sent before it', async () => {
  const { reader, sent } = heldReads();
  const [first] = [reader.read('ada'), await turn()];
  const second = reader.read('ada');
  await turn();
  await sent[0]!.answer();
  expect([await first, sent.length]).toEqual(['ADA', 2]);
  await sent[1]!.answer();
  expect(await second).toBe('ADA');
});

test('what goes wrong with a read goes wrong for all that it is for, and the next one is made', async () => {
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

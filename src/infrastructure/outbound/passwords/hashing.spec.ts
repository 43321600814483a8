import { constants, getPriority } from 'node:os';
import { afterEach, expect, test } from '@jest/globals';
import { argon2id } from 'argon2';
import { until } from '../../../../scripts/lib/wait.mjs';
import { childrenOf, threadsOf, titleOf } from '../../../../test/support/processes/processes.js';
import { Hashing } from './hashing.js';

const CHEAP = { type: argon2id, memoryCost: 1024, timeCost: 1, parallelism: 1 };
/** Takes long enough to be interrupted. */
const DEAR = { type: argon2id, memoryCost: 262_144, timeCost: 10, parallelism: 1 };

let hashing = new Hashing();
afterEach(async () => {
  hashing.close();
  expect(await until(() => children().length === 0, 10_000)).toBe(true);
  hashing = new Hashing();
});

const children = () => childrenOf(process.pid).filter((pid) => titleOf(pid) === 'latchkey-hashing');

test('hashes and verifies, many at once, each answered its own', async () => {
  const passwords = ['a', 'pässwörd', '', 'x'.repeat(1000)];
  const hashes = await Promise.all(passwords.map((password) => hashing.hash(password, CHEAP)));
  const matrix = await Promise.all(hashes.map((hash) => Promise.all(passwords.map((p) => hashing.verify(hash, p)))));
  matrix.forEach((row, h) => row.forEach((matches, p) => expect(matches).toBe(h === p)));
});

test('reports what argon2 finds wrong, and goes on', async () => {
  await expect(hashing.verify('no hash', 'x')).rejects.toThrow();
  expect(await hashing.hash('x', CHEAP)).toMatch(/^\$argon2id\$/);
});

test('works in one process of its own, each thread of it at the lowest priority', async () => {
  await Promise.all([hashing.hash('x', CHEAP), hashing.hash('y', CHEAP)]);
  const [child, ...others] = children();
  expect(others).toEqual([]);
  const priorities = threadsOf(child!).map((thread) => getPriority(thread));
  expect(priorities.length).toBeGreaterThan(1);
  expect(new Set(priorities)).toEqual(new Set([constants.priority.PRIORITY_LOW]));
});

test('a process that dies fails those it worked for, with unavailable, and the next starts another', async () => {
  await hashing.hash('x', CHEAP);
  const [child] = children();
  const lost = expect(hashing.hash('x', DEAR)).rejects.toMatchObject({ code: 'unavailable' });
  process.kill(child!, 'SIGKILL');
  await lost;
  expect(await hashing.hash('x', CHEAP)).toMatch(/^\$argon2id\$/);
});

test('ends when it is closed, and does not end at a Ctrl+C meant for its parent', async () => {
  await hashing.hash('x', CHEAP);
  process.kill(children()[0]!, 'SIGINT');
  expect(await hashing.hash('x', CHEAP)).toMatch(/^\$argon2id\$/);
  hashing.close();
  expect(await until(() => children().length === 0, 10_000)).toBe(true);
});

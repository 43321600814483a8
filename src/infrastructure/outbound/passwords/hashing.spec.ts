import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { afterEach, expect, test } from '@jest/globals';
import { argon2id } from 'argon2';
import { until } from '../../../../scripts/lib/wait.mjs';
import { childrenOf, titleOf } from '#test/support/processes/processes.js';
import { Hashing } from './hashing.js';

const CHEAP = { type: argon2id, memoryCost: 1024, timeCost: 1, parallelism: 1 };
/** Takes long enough to be interrupted. */
const EXPENSIVE = { type: argon2id, memoryCost: 262_144, timeCost: 10, parallelism: 1 };

let hashing = new Hashing();
afterEach(async () => {
  hashing.close();
  expect(await until(() => children().length === 0, 10_000)).toBe(true);
  hashing = new Hashing();
});

const children = () => childrenOf(process.pid).filter((pid) => titleOf(pid) === 'latchkey-hashing');

test('hashes and verifies many passwords at once, each with its own answer', async () => {
  const passwords = ['a', 'pässwörd', '', 'x'.repeat(1000)];
  const hashes = await Promise.all(passwords.map((password) => hashing.hash(password, CHEAP)));
  const matrix = await Promise.all(hashes.map((hash) => Promise.all(passwords.map((p) => hashing.verify(hash, p)))));
  matrix.forEach((row, h) => row.forEach((matches, p) => expect(matches).toBe(h === p)));
});

test('reports an error of argon2 and keeps working', async () => {
  await expect(hashing.verify('no hash', 'x')).rejects.toThrow();
  expect(await hashing.hash('x', CHEAP)).toMatch(/^\$argon2id\$/);
});

test('works in one separate process, with each thread at the lowest priority', async () => {
  await Promise.all([hashing.hash('x', CHEAP), hashing.hash('y', CHEAP)]);
  const [child, ...others] = children();
  expect(others).toEqual([]);
  const threads = readdirSync(`/proc/${child}/task`).map(Number);
  const priorities = threads.map((thread) => getPriority(thread));
  expect(priorities.length).toBeGreaterThan(1);
  expect(new Set(priorities)).toEqual(new Set([constants.priority.PRIORITY_LOW]));
});

test('fails open calls with unavailable when the process dies, and starts another', async () => {
  await hashing.hash('x', CHEAP);
  const [child] = children();
  const lost = expect(hashing.hash('x', EXPENSIVE)).rejects.toMatchObject({ code: 'unavailable' });
  process.kill(child!, 'SIGKILL');
  await lost;
  expect(await hashing.hash('x', CHEAP)).toMatch(/^\$argon2id\$/);
});

test('ends when it is closed, but not on Ctrl+C for its parent', async () => {
  await hashing.hash('x', CHEAP);
  process.kill(children()[0]!, 'SIGINT');
  expect(await hashing.hash('x', CHEAP)).toMatch(/^\$argon2id\$/);
  hashing.close();
  expect(await until(() => children().length === 0, 10_000)).toBe(true);
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GuessSubject } from '#application/ports.js';
import { tally, times } from '../support/application/calls.js';
import type { World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const SECOND_MS = 1000;

describe.each(WORLDS)('PasswordGuesses %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const subject = (freeGuesses = 3): GuessSubject => ({ name: randomUUID(), policy: { freeGuesses } });
  const count = (...subjects: GuessSubject[]) => world.guesses.count(subjects);
  /** Whether an attempt is admitted. If it is, it is counted. */
  const admits = (...subjects: GuessSubject[]) =>
    count(...subjects).then(
      () => true,
      () => false,
    );

  test('counts attempts until the subject is blocked, and reports for how long', async () => {
    const guessed = subject();
    for (let free = 0; free < 3; free += 1) await count(guessed);
    const blocked = (retryAfterSeconds: number) => ({ code: 'too_many_attempts', details: { retryAfterSeconds } });
    await expect(count(guessed)).rejects.toMatchObject(blocked(15));
    await world.pass(14 * SECOND_MS);
    await expect(count(guessed)).rejects.toMatchObject(blocked(1));
    await world.pass(SECOND_MS);
    await count(guessed);
    await expect(count(guessed)).rejects.toMatchObject(blocked(30));
  });

  test('counts each subject separately', async () => {
    const [guessed, other] = [subject(1), subject(1)];
    expect([await admits(guessed), await admits(guessed), await admits(other)]).toEqual([true, false, true]);
  });

  test('counts nothing when one of the subjects is blocked', async () => {
    for (const place of [0, 1]) {
      const [blocked, other] = [subject(1), subject(2)];
      await count(blocked);
      const both = place === 0 ? [blocked, other] : [other, blocked];
      for (let tries = 0; tries < 5; tries += 1) expect(await admits(...both)).toBe(false);
      expect([await admits(other), await admits(other), await admits(other)]).toEqual([true, true, false]);
    }
  });

  test('counts concurrent attempts one by one', async () => {
    const [one, other] = [subject(5), subject(20)];
    expect(await tally(times(40, () => count(one, other)))).toEqual({ ok: 5, too_many_attempts: 35 });
    expect(await tally(times(40, () => count(other)))).toEqual({ ok: 15, too_many_attempts: 25 });
  });

  test('forgets all attempts of the first subject after a right one, and that attempt of the others', async () => {
    const [first, second] = [subject(3), subject(3)];
    for (let tries = 0; tries < 3; tries += 1) await count(first, second);
    await world.guesses.forgive([first, second]);
    expect([await admits(second), await admits(second)]).toEqual([true, false]);
    expect(await tally(times(5, () => count(first)))).toEqual({ ok: 3, too_many_attempts: 2 });
  });

  test('never counts below zero', async () => {
    const [first, second] = [subject(), subject(1)];
    await count(second);
    for (let times = 0; times < 3; times += 1) await world.guesses.forgive([first, second]);
    expect([await admits(second), await admits(second)]).toEqual([true, false]);
  });

  test('remembers only for the first subject that it was right once, also after wrong attempts', async () => {
    const [first, second] = [subject(), subject()];
    await count(first, second);
    expect(await world.guesses.hasSucceeded(first.name)).toBe(false);
    await world.guesses.forgive([first, second]);
    await count(first, second);
    expect([await world.guesses.hasSucceeded(first.name), await world.guesses.hasSucceeded(second.name)]).toEqual([
      true,
      false,
    ]);
    expect(await world.guesses.hasSucceeded(randomUUID())).toBe(false);
  });

  test('does nothing without a subject', async () => {
    await count();
    await world.guesses.forgive([]);
  });
});

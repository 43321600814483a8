import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import argon2 from 'argon2';
import bcrypt from 'bcryptjs';
import type { GuessSubject } from '#application/sign-in-ports.js';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { passwordHashes } from '#infrastructure/outbound/passwords/password-hashes.js';
import { tally, times } from '../support/application/calls.js';
import type { World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const hashAt = (password: string, memoryCost: number) =>
  argon2.hash(password, { type: argon2.argon2id, memoryCost, timeCost: 2, parallelism: 1 });

describe('Passwords of argon2', () => {
  const passwords = new Argon2Passwords(passwordHashes);

  test('match only their own hash, which is not outdated', async () => {
    const [hash, again] = [await passwords.hash('pässwörd'), await passwords.hash('pässwörd')];
    expect(hash).not.toBe(again);
    for (const one of [hash, again]) {
      expect(await passwords.verify('pässwörd', one)).toEqual({ matches: true, outdated: false });
    }
    for (const wrong of ['pässwörd ', 'Pässwörd', '']) {
      expect(await passwords.verify(wrong, hash)).toEqual({ matches: false, outdated: false });
    }
  });

  test('match nothing without a hash', async () => {
    for (const password of ['', 'x', 'null']) {
      expect(await passwords.verify(password, null)).toEqual({ matches: false, outdated: false });
    }
  });

  test('are outdated with a cheaper hash, whether or not they match', async () => {
    const cheap = await hashAt('x', 8192);
    expect(await passwords.verify('x', cheap)).toEqual({ matches: true, outdated: true });
    expect(await passwords.verify('y', cheap)).toEqual({ matches: false, outdated: true });
    expect(await passwords.verify('x', await hashAt('x', 20_480))).toEqual({ matches: true, outdated: false });
  });

  test('match only their own bcrypt hash, which is always outdated', async () => {
    for (const cost of [4, 8]) {
      const hash = await bcrypt.hash('pässwörd', cost);
      expect(passwords.hashProblem(hash)).toBeUndefined();
      expect(await passwords.verify('pässwörd', hash)).toEqual({ matches: true, outdated: true });
      for (const wrong of ['pässwörd ', 'Pässwörd', '', 'pässwörd\0', 'pässwörd\0pässwörd']) {
        expect(await passwords.verify(wrong, hash)).toEqual({ matches: false, outdated: true });
      }
    }
  });

  test('match by the part that bcrypt saw, and are never hashed again', async () => {
    const long = 'ä'.repeat(36);
    const hash = await bcrypt.hash(`${long}tail`, 4);
    expect(await passwords.verify(long, hash)).toEqual({ matches: true, outdated: true });
    for (const password of [`${long}tail`, `${long}slip`]) {
      expect(await passwords.verify(password, hash)).toEqual({ matches: true, outdated: false });
    }
    expect(await passwords.verify(`x${long}`, hash)).toEqual({ matches: false, outdated: false });
  });

  test('accept bcrypt hashes of a cost from 4 to 12 only', async () => {
    const hash = await bcrypt.hash('x', 4);
    const at = (cost: string) => passwords.hashProblem(hash.replace('$04$', `$${cost}$`));
    expect(['04', '10', '12'].map(at)).toEqual([undefined, undefined, undefined]);
    for (const cost of ['00', '03', '13', '31', '99']) expect(at(cost)).toMatch(/^must have a cost from 4 to 12/);
    for (const none of [hash.replace('$2b$', '$2x$'), hash.slice(0, -1), `${hash}x`, hash.replace('$04$', '$4$')]) {
      expect(passwords.hashProblem(none)).toMatch(/^must be an argon2id PHC string/);
    }
  });

  test('accept their own hashes, also cheap ones', async () => {
    for (const hash of [await passwords.hash('x'), await hashAt('x', 1024)]) {
      expect(passwords.hashProblem(hash)).toBeUndefined();
    }
  });

  test('refuse hashes that cost too much, and unknown ones', async () => {
    const tooCostly = (await hashAt('x', 1024)).replace('m=1024', 'm=999999');
    expect(passwords.hashProblem(tooCostly)).toMatch(/^must cost at most m=262144/);
    for (const none of ['', 'correct horse', '$2b$12$abcdefghijklmnopqrstuu']) {
      expect(passwords.hashProblem(none)).toMatch(/^must be an argon2id PHC string/);
    }
  });
});

const SECOND_MS = 1000;

describe.each(WORLDS)('PasswordGuesses %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const subject = (freeGuesses = 3): GuessSubject => ({ name: randomUUID(), freeGuesses });
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

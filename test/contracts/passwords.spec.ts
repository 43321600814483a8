import { describe, expect, test } from '@jest/globals';
import argon2 from 'argon2';
import type { Passwords } from '../../src/application/ports.js';
import { Argon2Passwords } from '../../src/infrastructure/outbound/passwords/argon2-passwords.js';
import { FakePasswords, fakeHash } from '../fakes/sessions/fake-passwords.js';

const argon2Hash = (password: string, memoryCost: number) =>
  argon2.hash(password, { type: argon2.argon2id, memoryCost, timeCost: 2, parallelism: 1 });

describe.each<[string, Passwords, (password: string, kib: number) => Promise<string>]>([
  ['in memory', new FakePasswords(), async (password, kib) => fakeHash(password, kib)],
  ['of argon2', new Argon2Passwords(argon2), argon2Hash],
])('Passwords %s', (_name, passwords, hashAt) => {
  test('match their hash and no other, which is not outdated', async () => {
    const [hash, again] = [await passwords.hash('pässwörd'), await passwords.hash('pässwörd')];
    expect(hash).not.toBe(again);
    for (const one of [hash, again]) {
      expect(await passwords.verify('pässwörd', one)).toEqual({ matches: true, outdated: false });
    }
    for (const wrong of ['pässwörd ', 'Pässwörd', '']) {
      expect(await passwords.verify(wrong, hash)).toEqual({ matches: false, outdated: false });
    }
  });

  test('match nothing where there is no hash', async () => {
    for (const password of ['', 'x', 'null']) {
      expect(await passwords.verify(password, null)).toEqual({ matches: false, outdated: false });
    }
  });

  test('are outdated under a hash that is cheaper than new ones are, whether or not they match', async () => {
    const cheap = await hashAt('x', 8192);
    expect(await passwords.verify('x', cheap)).toEqual({ matches: true, outdated: true });
    expect(await passwords.verify('y', cheap)).toEqual({ matches: false, outdated: true });
    expect(await passwords.verify('x', await hashAt('x', 20_480))).toEqual({ matches: true, outdated: false });
  });

  test('may be pushed as hashes: their own, and cheap ones', async () => {
    for (const hash of [await passwords.hash('x'), await hashAt('x', 1024)]) {
      expect(passwords.hashProblem(hash)).toBeUndefined();
    }
  });

  test('may not be pushed as what costs too much or is none of their hashes', async () => {
    const tooCostly = (await hashAt('x', 1024)).replace('m=1024', 'm=999999');
    expect(passwords.hashProblem(tooCostly)).toMatch(/^must cost at most m=262144/);
    for (const none of ['', 'correct horse', '$2b$12$abcdefghijklmnopqrstuuK6lZpzLr0fQoQ2x0O8b4mB0eGm0aG1S']) {
      expect(passwords.hashProblem(none)).toMatch(/^must be an argon2id PHC string/);
    }
  });
});

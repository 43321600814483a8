import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Argon2Passwords } from '../../src/infrastructure/crypto/argon2-passwords.js';
import argon2 from 'argon2';
import { client, newOwner as openOwner, openApplication, PASSWORD, tally, times } from '../support/application.js';
import { createDatabase } from '../support/databases.mjs';
import { unknownKey, withWrongSecret } from '../support/key-strings.js';
import { newOwner, type Owner } from '../support/owners.js';
import { startService, type Service } from '../support/service.js';
import { sql } from '../support/sql.js';

const GUESSES = 1000;

describe('a thousand wrong secrets for a public part that exists', () => {
  let service: Service;
  let owner: Owner;
  let fullKey: string;
  beforeAll(async () => {
    service = await startService();
    owner = await newOwner(service);
    fullKey = (await owner.person.newKey()).fullKey;
    const guesses = times(GUESSES, () => service.clients.validate(withWrongSecret(fullKey)));
    expect(new Set((await Promise.all(guesses)).map(({ denial }) => denial?.reason))).toEqual(
      new Set(['REASON_INVALID_KEY']),
    );
  });
  afterAll(() => service.stop());

  test('cost the real key nothing: it is granted, with its whole limit', async () => {
    const { grant, rateLimit } = await service.clients.validate(fullKey);
    expect(grant?.ownerId).toBe(owner.id);
    expect(rateLimit).toMatchObject({ limit: 100, remaining: 99 });
  });

  test('do not lock its owner out: the session goes on, and signing in and creating work', async () => {
    expect((await owner.person.call('GET', '/v1/session')).status).toBe(200);
    const elsewhere = await service.person().signIn(owner.email);
    expect((await elsewhere.create()).status).toBe(201);
  });

  test("are all on the owner's record", async () => {
    const [recorded] = await sql<{ count: number }>(
      service.databaseUrl,
      `SELECT sum(count)::int AS count FROM audit_events WHERE owner_id = $1 AND reason = 'invalid-key'`,
      [owner.id],
    );
    expect(recorded!.count).toBe(GUESSES);
  });
});

test('a made-up key with a good checksum is no key', async () => {
  const service = await startService();
  try {
    const answers = await Promise.all(times(100, () => service.clients.validate(unknownKey())));
    expect(answers.filter(({ grant }) => grant)).toEqual([]);
  } finally {
    await service.stop();
  }
});

describe('a thousand passwords tried at once', () => {
  /** Counts what reaches argon2. */
  class CountedPasswords extends Argon2Passwords {
    looked = 0;
    override verify(password: string, hash: string | null) {
      this.looked += 1;
      return super.verify(password, hash);
    }
  }

  test.each([
    ['of an account that exists', true],
    ['of an account that does not', false],
  ])('at sign-in from one network %s: five reach argon2', async (_, exists) => {
    const database = await createDatabase();
    const passwords = new CountedPasswords(argon2);
    const app = await openApplication(database.url, { passwords });
    try {
      const email = exists ? (await openOwner(app)).email : 'nobody@example.org';
      const outcomes = await tally(times(GUESSES, (n) => app.signIn.execute(email, `${PASSWORD} ${n}`, client())));
      expect(outcomes).toEqual({ invalid_credentials: 5, too_many_attempts: GUESSES - 5 });
      expect(passwords.looked).toBe(5);
    } finally {
      await app.close();
      await database.drop();
    }
  });
});

import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import argon2 from 'argon2';
import fc from 'fast-check';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { KeyString } from '#domain/keys/key-string.js';
import { readBearer } from '#infrastructure/inbound/shared/request-facts.js';
import { withoutSecrets } from '#domain/secrets.js';
import {
  client,
  newOwner as openOwner,
  openApplication,
  outcomeOf,
  PASSWORD,
  times,
} from '../support/application/application.js';
import { CHEAP_COST } from '../support/application/cheap.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { holdTheWaits } from './held-wait.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { type Service, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { shortOrLong } from '../support/jest/long-form.js';

const GUESSES = 1000;

describe('a thousand wrong secrets for an existing public part', () => {
  let service: Service;
  let owner: Owner;
  let fullKey: string;
  beforeAll(async () => {
    service = await startService();
    owner = await newOwner(service);
    fullKey = (await owner.person.newKey()).fullKey;
    // UNAVAILABLE: the service does not answer what it could not record in time.
    const guess = () => service.clients.validate(withWrongSecret(fullKey)).catch(() => undefined);
    const guesses = times(GUESSES, () => eventually(guess));
    expect(new Set((await Promise.all(guesses)).map(({ denial }) => denial?.reason))).toEqual(
      new Set(['REASON_INVALID_KEY']),
    );
  });
  afterAll(() => service.stop());

  test('do not use the rate limit of the real key', async () => {
    const { grant, rateLimit } = await service.clients.validate(fullKey);
    expect(grant?.ownerId).toBe(owner.id);
    expect(rateLimit).toMatchObject({ limit: 100, remaining: 99 });
  });

  test('do not lock its owner out of sessions, sign-in and creation', async () => {
    expect((await owner.person.call('GET', '/v1/session')).status).toBe(200);
    const elsewhere = await service.person().signIn(owner.email);
    expect((await elsewhere.create()).status).toBe(201);
  });

  test('grant nothing, also with an unknown public part and a good checksum', async () => {
    const answers = await Promise.all(times(100, () => service.clients.validate(unknownKey()).catch(() => undefined)));
    expect(answers.filter((answer) => answer?.grant)).toEqual([]);
  });

  test('are all recorded for the owner', async () => {
    const [recorded] = await sql<{ count: number }>(
      service.databaseUrl,
      `SELECT sum(count)::int AS count FROM audit_events WHERE owner_id = $1 AND reason = 'invalid-key'`,
      [owner.id],
    );
    expect(recorded!.count).toBeGreaterThanOrEqual(GUESSES);
  });
});

describe('a thousand simultaneous password guesses', () => {
  /** Counts the passwords that reach argon2. */
  class CountedPasswords extends Argon2Passwords {
    verified = 0;
    override verify(password: string, hash: string | null) {
      this.verified += 1;
      return super.verify(password, hash);
    }
  }

  test('reach argon2 five times at sign-in from one network', async () => {
    const database = await createDatabase();
    const passwords = new CountedPasswords(argon2, { cost: CHEAP_COST });
    const app = await openApplication(database.url, { passwords });
    try {
      const { email } = await openOwner(app);
      await holdTheWaits(database.url);
      // UNAVAILABLE: the service does not answer what it could not count or record in time.
      const guess = (n: number) =>
        eventually(async () => {
          const outcome = await outcomeOf(app.signIn.execute(email, `${PASSWORD} ${n}`, client()));
          return outcome !== 'unavailable' && outcome;
        });
      const outcomes = await Promise.all(times(GUESSES, guess));
      const answered = outcomes.filter((outcome) => outcome === 'invalid_credentials');
      expect(passwords.verified).toBe(5);
      expect(answered.length).toBeLessThanOrEqual(5);
      expect(outcomes.filter((outcome) => outcome === 'too_many_attempts')).toHaveLength(GUESSES - answered.length);
    } finally {
      await app.close();
      await database.drop();
    }
  });
});

const TRIES = shortOrLong(10_000, 1_000_000);
const WELL_FORMED = /^lk_[0-9a-f]{24}\.[0-9a-f]{64}$/;
const KEY = KeyString.generate('lk').reveal();

const character = fc.oneof(
  fc.constantFrom(...'0123456789abcdefABCDEF._ \0\r\n\u00e9\uFF10'),
  fc.string({ unit: 'binary', maxLength: 2 }),
);
/** One change that can happen to a key on its way. */
const edit = fc.record({
  at: fc.nat({ max: KEY.length }),
  dropped: fc.constantFrom(0, 1, 1, 1, 2),
  put: fc.array(character, { maxLength: 2 }).map((characters) => characters.join('')),
});
const mutated = fc.array(edit, { maxLength: 3 }).map((edits) => {
  return edits.reduce((text, { at, dropped, put }) => text.slice(0, at) + put + text.slice(at + dropped), KEY);
});
const anyText = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.stringMatching(WELL_FORMED) },
);

test(`the parser accepts only texts with the form and the checksum of a key, in ${TRIES} tries`, () => {
  let accepted = 0;
  fc.assert(
    fc.property(anyText, (text) => {
      const key = KeyString.parse(text, 'lk');
      readBearer([text]);
      withoutSecrets(text);
      if (!key) return;
      accepted += 1;
      const hasChecksum = crc32(text.slice(0, -8)).toString(16).padStart(8, '0') === text.slice(-8);
      expect([key.reveal(), hasChecksum, WELL_FORMED.test(text)]).toEqual([text, true, true]);
    }),
    { numRuns: TRIES },
  );
  // The unchanged key is among them.
  expect(accepted).toBeGreaterThan(TRIES / 1000);
});

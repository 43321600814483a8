import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import argon2 from 'argon2';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import type { Argon2 } from '#infrastructure/outbound/passwords/hashing.js';
import { CHEAP_COST } from '../support/application/cheap.mjs';
import { eventually } from '../support/eventually.js';
import { shortOrLong } from '../support/jest/long-form.js';
import { newOwner, type Owner, PASSWORD } from '../support/callers/owners.js';
import { type Service, startService, startServiceHere } from '../support/processes/service.js';
import { times } from '../support/application/calls.js';
import { endTheWaits, holdTheWaits } from './held-wait.js';
import { failuresOf } from '../support/stores/recorded-failures.js';

describe('a flood of sign-ins with made-up emails from one network', () => {
  const ATTACKER = '203.0.113.66';
  const ELSEWHERE = '198.51.100.7';
  /** More than the passwords that are hashed or queued at the same time. */
  const AT_ONCE = 24;
  const GUESS = 'x';

  /** Signs in with made-up emails until `end`, with enough at once to fill the queue. */
  class Flood {
    readonly statuses = new Map<number, number>();
    private readonly startedAt = performance.now();
    private isOver = false;
    /** Called at the next refusal. */
    private held: (() => void)[] = [];
    private readonly attackers: Promise<unknown>[];

    constructor(signIn: (email: string) => Promise<number>) {
      this.attackers = Array.from({ length: AT_ONCE }, async () => {
        while (!this.isOver) {
          const status = await signIn(`${randomUUID()}@example.org`);
          this.statuses.set(status, this.of(status) + 1);
          if (status === 503 || status === 429) this.release();
        }
      });
    }

    of(status: number): number {
      return this.statuses.get(status) ?? 0;
    }

    get seconds(): number {
      return (performance.now() - this.startedAt) / 1000;
    }

    /** Resolves when one more was refused. Until then the queue may still have room. */
    async refusesAnother(): Promise<void> {
      if (!this.isOver) await new Promise<void>((resolve) => this.held.push(resolve));
    }

    async end(): Promise<void> {
      this.isOver = true;
      this.release();
      await Promise.all(this.attackers);
    }

    private release(): void {
      for (const resolve of this.held.splice(0)) resolve();
    }
  }

  let service: Service;
  let known: Owner;
  let flood: Flood | undefined;
  beforeAll(async () => {
    // The attackers' passwords keep the queue full on any machine, and cost no CPU time that others would need.
    const held: Argon2 = {
      hash: (password, cost) => argon2.hash(password, cost),
      verify: async (hash, password) => {
        if (password === GUESS) await flood?.refusesAnother();
        return argon2.verify(hash, password);
      },
    };
    const passwords = new Argon2Passwords(held, { cost: CHEAP_COST });
    service = await startServiceHere({ TRUSTED_PROXIES: 'loopback' }, passwords);
    known = await newOwner(service);
  });
  afterAll(async () => {
    await flood?.end();
    await service?.stop();
  });

  const signIn = async (email: string, ip: string, password = PASSWORD) => {
    const headers = { 'x-forwarded-for': ip };
    return (await service.person().call('POST', '/v1/session', { email, password }, headers)).status;
  };

  test('does not prevent the sign-ins, creations and platform calls of others', async () => {
    const id = `new-${randomUUID()}`;
    expect(await signIn(known.email, ATTACKER)).toBe(204);
    flood = new Flood((email) => signIn(email, ATTACKER, GUESS));
    // Some are refused because the queue is full.
    await eventually(async () => flood!.of(503) > 0);
    for (let round = 0; round < shortOrLong(2, 5); round += 1) {
      const email = `${id}-${round}@example.org`;
      const put = { id: `${id}-${round}`, email, displayName: 'New', permissions: [], password: PASSWORD };
      expect((await service.clients.putAccount(put)).id).toBe(put.id);
      expect(await signIn(email, ELSEWHERE)).toBe(204);
      expect((await known.person.create({ name: `key ${round}` })).status).toBe(201);
    }
  });

  test('is refused above the limit of its network, while a known owner may still sign in there', async () => {
    await eventually(async () => flood!.of(429) > 100);
    // The limit is a hundred, and one more every ten seconds.
    expect(flood!.of(401)).toBeLessThanOrEqual(100 + flood!.seconds / 10);
    const { email } = await newOwner(service);
    expect(await signIn(email, ATTACKER)).toBe(429);
    expect(await signIn(email, ELSEWHERE)).toBe(204);
    expect(await signIn(known.email, ATTACKER)).toBe(204);
  });
});

describe('the confirmation of a creation', () => {
  let service: Service;
  beforeAll(async () => {
    // The key is validated as fast as possible.
    service = await startService({ RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' });
  });
  afterAll(() => service.stop());

  test('the password that confirms a creation is checked at most five times in a flood of 1,000 guesses, while the key is still granted', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    await holdTheWaits(service.databaseUrl);
    let isOver = false;
    const statuses = new Map<number, number>();
    const guessOneByOne = async () => {
      for (let guess = 0; guess < 10; guess += 1) {
        // 503: a guess that could not be counted or recorded in time gets no answer.
        const status = await eventually(async () => {
          const answer = await person.create({ password: `guess ${guess}` });
          return answer.status !== 503 && answer.status;
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const guesses = Promise.all(times(100, guessOneByOne)).finally(() => (isOver = true));

    let grants = 0;
    while (!isOver) {
      expect(await service.clients.validate(fullKey)).toMatchObject({ grant: { keyId: apiKey.id } });
      grants += 1;
    }
    await guesses;
    expect(grants).toBeGreaterThan(10);
    const checked = statuses.get(403) ?? 0;
    expect(checked).toBeLessThanOrEqual(5);
    expect(Object.fromEntries(statuses)).toEqual({ ...(checked > 0 ? { 403: checked } : {}), 429: 1000 - checked });

    const recorded = await failuresOf(service.databaseUrl, 'owner_id', id);
    expect(recorded['incorrect-password']).toBeLessThanOrEqual(5);
    expect(recorded['incorrect-password']).toBeGreaterThanOrEqual(checked);
    expect(recorded['too-many-attempts']).toBeGreaterThanOrEqual(1000 - checked);
    expect((await person.list()).activeKeys).toBe(1);
    await endTheWaits(service.databaseUrl);
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import argon2 from 'argon2';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { eventually } from '../support/eventually.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import { startServiceHere, type Service } from '../support/processes/service.js';

const ATTACKER = '203.0.113.66';
const ELSEWHERE = '198.51.100.7';
/** More than the passwords that are hashed or queued at the same time. */
const AT_ONCE = 24;

/** Signs in with made-up emails until `end`, with enough at once to fill the queue. */
class Flood {
  readonly statuses = new Map<number, number>();
  private isOver = false;
  private readonly attackers: Promise<unknown>[];

  constructor(signIn: (email: string) => Promise<number>) {
    this.attackers = Array.from({ length: AT_ONCE }, async () => {
      while (!this.isOver) {
        const status = await signIn(`${randomUUID()}@example.org`);
        this.statuses.set(status, this.of(status) + 1);
      }
    });
  }

  of(status: number): number {
    return this.statuses.get(status) ?? 0;
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.attackers);
  }
}

describe('a flood of sign-ins with made-up emails from one network', () => {
  let service: Service;
  let known: Owner;
  let flood: Flood | undefined;
  beforeAll(async () => {
    // At production's cost, because the queue would never fill with cheap passwords.
    service = await startServiceHere({ TRUSTED_PROXIES: 'loopback' }, new Argon2Passwords(argon2));
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
    flood = new Flood((email) => signIn(email, ATTACKER, 'x'));
    // Some are refused because the queue is full.
    await eventually(async () => flood!.of(503) > 0);
    for (let round = 0; round < 5; round += 1) {
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
    expect(flood!.of(401)).toBeLessThan(150);
    const { email } = await newOwner(service);
    expect(await signIn(email, ATTACKER)).toBe(429);
    expect(await signIn(email, ELSEWHERE)).toBe(204);
    expect(await signIn(known.email, ATTACKER)).toBe(204);
  });
});

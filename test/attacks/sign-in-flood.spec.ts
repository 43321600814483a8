import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import argon2 from 'argon2';
import { Argon2Passwords } from '../../src/infrastructure/outbound/passwords/argon2-passwords.js';
import { eventually } from '../support/eventually.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import { startServiceHere, type Service } from '../support/processes/service.js';

const ATTACKER = '203.0.113.66';
const ELSEWHERE = '198.51.100.7';
/** More than are hashed and wait together. */
const AT_ONCE = 24;

/** Made-up emails, as many at once as it takes to fill every place, until it is told to stop. */
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

describe('sign-ins with made-up emails from one address, more at once than there are places,', () => {
  let service: Service;
  let known: Owner;
  let flood: Flood | undefined;
  beforeAll(async () => {
    // At production's cost, or no place would ever be taken.
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

  test('keep nobody else out: sign-ins, creations and the platform are served meanwhile', async () => {
    const id = `new-${randomUUID()}`;
    expect(await signIn(known.email, ATTACKER)).toBe(204);
    flood = new Flood((email) => signIn(email, ATTACKER, 'x'));
    // Some are refused because every place is taken: from now on it is full.
    await eventually(async () => flood!.of(503) > 0);
    for (let round = 0; round < 5; round += 1) {
      const email = `${id}-${round}@example.org`;
      const put = { id: `${id}-${round}`, email, displayName: 'New', permissions: [], password: PASSWORD };
      expect((await service.clients.putAccount(put)).id).toBe(put.id);
      expect(await signIn(email, ELSEWHERE)).toBe(204);
      expect((await known.person.create({ name: `key ${round}` })).status).toBe(201);
    }
  });

  test('are refused once their network has had its share, while an owner who is known there is let in', async () => {
    await eventually(async () => flood!.of(429) > 100);
    // A hundred, and what comes back meanwhile: one in ten seconds.
    expect(flood!.of(401)).toBeLessThan(150);
    const { email } = await newOwner(service);
    expect(await signIn(email, ATTACKER)).toBe(429);
    expect(await signIn(email, ELSEWHERE)).toBe(204);
    expect(await signIn(known.email, ATTACKER)).toBe(204);
  });
});

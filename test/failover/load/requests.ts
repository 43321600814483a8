import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createGuard } from '@latchkey/guard';
import type { Service } from '#test/support/processes/service.js';
import type { Ledger } from './ledger.js';

const PACE_MS = 10;
const CALLERS = 4;
/** The number of revoked keys that are validated: the latest ones, which a replaced primary does not know about. */
const LATEST = 100;
/** Longer than any wait between two grants without a fault, in milliseconds. */
const INTERRUPTED_MS = 1000;

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Sends requests with good and with revoked keys through the guard of one instance all the time. */
export class Requests {
  /** Grants of keys whose revocation had been answered before the question. */
  staleGrants = 0;
  /** Good keys that were refused. */
  wronglyRefused = 0;
  unavailable = 0;
  validations = 0;
  /** The times of the grants, by `performance.now()`. */
  private readonly grants: number[] = [];
  private readonly guard;
  private isOver = false;
  private readonly running: readonly Promise<void>[];

  constructor(
    service: Service,
    private readonly ledger: Ledger,
  ) {
    this.guard = createGuard({ target: service.grpcTarget, serviceToken: 'dev-validator-token' });
    this.running = Array.from({ length: CALLERS }, () => this.run());
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
    this.guard.close();
  }

  get granted(): number {
    return this.grants.length;
  }

  /** The times without a grant that were longer than any without a fault. */
  get interruptions(): readonly Gap[] {
    return this.gaps.filter(({ from, to }) => to - from > INTERRUPTED_MS);
  }

  get longestGapMs(): number {
    return Math.max(0, ...this.gaps.map(({ from, to }) => to - from));
  }

  private get gaps(): readonly Gap[] {
    return this.grants.slice(1).map((to, index) => ({ from: this.grants[index]!, to }));
  }

  /** The time from this moment to the next grant. */
  backAfterMs(moment: number): number {
    return (this.grants.find((at) => at >= moment) ?? Infinity) - moment;
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const isGood = randomInt(2) === 0;
      const keys = isGood ? this.ledger.good : this.ledger.revoked.slice(-LATEST);
      const key = keys[randomInt(Math.max(1, keys.length))];
      if (key) await this.check(key.fullKey, isGood);
      await pause(PACE_MS);
    }
  }

  private async check(fullKey: string, isGood: boolean): Promise<void> {
    const decision = await this.guard.check({ authorization: [`Bearer ${fullKey}`], method: 'GET' });
    this.validations += 1;
    if (!decision.allowed && decision.status === 503) this.unavailable += 1;
    else if (decision.allowed && isGood) this.grants.push(performance.now());
    else if (decision.allowed) this.staleGrants += 1;
    else if (isGood) this.wronglyRefused += 1;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Decision, Guard } from '@latchkey/guard';

/** The pause between two requests of one caller: an ordinary load, not a measurement of the maximum. */
const PACE_MS = 4;

/** Sends requests through one guard all the time. */
export class GuardLoad {
  readonly refused: Decision[] = [];
  granted = 0;
  slowestMs = 0;
  private isOver = false;
  private readonly requesters: Promise<void>[];

  constructor(
    private readonly guard: Guard,
    private readonly fullKey: string,
    requesters: number,
  ) {
    this.requesters = Array.from({ length: requesters }, () => this.sendRequests());
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.requesters);
  }

  private async sendRequests(): Promise<void> {
    while (!this.isOver) {
      const startedAt = performance.now();
      const decision = await this.guard.check({ authorization: [`Bearer ${this.fullKey}`], method: 'GET' });
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
      if (decision.allowed) this.granted += 1;
      else this.refused.push(decision);
      await pause(PACE_MS);
    }
  }
}

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
  private readonly askers: Promise<void>[];

  constructor(
    private readonly guard: Guard,
    private readonly fullKey: string,
    askers: number,
  ) {
    this.askers = Array.from({ length: askers }, () => this.ask());
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.askers);
  }

  private async ask(): Promise<void> {
    while (!this.isOver) {
      const askedAt = performance.now();
      const decision = await this.guard.check({ authorization: [`Bearer ${this.fullKey}`], method: 'GET' });
      this.slowestMs = Math.max(this.slowestMs, performance.now() - askedAt);
      if (decision.allowed) this.granted += 1;
      else this.refused.push(decision);
      await pause(PACE_MS);
    }
  }
}

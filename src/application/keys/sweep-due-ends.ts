import type { ApiKeys } from '../ports.js';

const BATCH = 500;

export class SweepDueEnds {
  constructor(private readonly keys: ApiKeys) {}

  /** Records the expiries that nobody observed, in batches; several instances may sweep at once. */
  async execute(): Promise<number> {
    let recorded = 0;
    for (let batch = BATCH; batch === BATCH; recorded += batch) batch = await this.keys.sweepDueEnds(BATCH);
    return recorded;
  }
}

import type { ApiKeys } from '../ports.js';

const BATCH = 500;

export class SweepExpiries {
  constructor(private readonly keys: ApiKeys) {}

  /** Records the expiries that nobody observed, in batches; several instances may sweep at once. */
  async execute(): Promise<number> {
    let recorded = 0;
    for (let batch = BATCH; batch === BATCH; recorded += batch) batch = await this.keys.sweepExpiries(BATCH);
    return recorded;
  }
}

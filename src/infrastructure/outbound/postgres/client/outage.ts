import { LatchkeyError } from '../../../../domain/errors.js';
import { Log } from '../../../telemetry/log.js';
import { Outage } from '../../../telemetry/outage.js';
import { isOfOneCall } from './errors.js';

type Pool = 'validation' | 'audit' | 'management';

/** A pool that fails now and then, and answers in between, is not back each time. */
const SETTLED_MS = 1000;

/** One outage of all pools: it begins when a call of one fails, and is over when each that failed has answered again. */
export class PostgresOutage {
  private readonly outage: Outage;
  /** When it last failed, of each pool that has not answered since. */
  private readonly failing = new Map<Pool, number>();

  constructor(log = new Log('silent')) {
    this.outage = new Outage(log, {
      store: 'PostgreSQL',
      meanwhile: 'what needs it is answered UNAVAILABLE',
      again: 'everything is answered again',
    });
  }

  /** Passes on what the work comes to, as `storeError` has it. */
  async watch<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work();
      if (this.failing.size > 0) this.answered(pool);
      return answer;
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'unavailable' && !isOfOneCall(error.cause)) {
        this.failing.set(pool, performance.now());
        this.outage.noticed(error, { pool });
      }
      throw error;
    }
  }

  private answered(pool: Pool): void {
    if (performance.now() - (this.failing.get(pool) ?? Infinity) < SETTLED_MS) return;
    // Readiness asks this pool every second. What failed when it did may not be asked for hours.
    if (pool === 'validation' && this.failing.has(pool)) this.failing.clear();
    else this.failing.delete(pool);
    if (this.failing.size === 0) this.outage.over();
  }
}

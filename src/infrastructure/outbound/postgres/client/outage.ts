import { LatchkeyError } from '../../../../domain/errors.js';
import { Log } from '../../../telemetry/log.js';
import { Outage } from '../../../telemetry/outage.js';
import { isOfOneCall, storeError } from './errors.js';

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

  /** To be called with what a call of a pool failed with. Returns it as the core knows it, to be thrown. */
  failed(pool: Pool, thrown: unknown): unknown {
    const error = storeError(thrown);
    if (error instanceof LatchkeyError && error.code === 'unavailable' && !isOfOneCall(error.cause)) {
      this.failing.set(pool, performance.now());
      this.outage.noticed(error, { pool });
    }
    return error;
  }

  /** To be called when a call of a pool has succeeded. */
  answered(pool: Pool): void {
    if (this.failing.size === 0) return;
    if (performance.now() - (this.failing.get(pool) ?? Infinity) < SETTLED_MS) return;
    // Readiness uses this pool every second. One that failed with it may not be used for hours.
    if (pool === 'validation' && this.failing.has(pool)) this.failing.clear();
    else this.failing.delete(pool);
    if (this.failing.size === 0) this.outage.over();
  }
}

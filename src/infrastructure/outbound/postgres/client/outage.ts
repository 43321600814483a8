import { LatchkeyError } from '../../../../domain/errors.js';
import { Log } from '../../../telemetry/log.js';
import { Outage } from '../../../telemetry/outage.js';
import { isOfOneCall, storeError } from './errors.js';

type Pool = 'validation' | 'audit' | 'management';

/** A pool has recovered only if its last failure is this long ago, because a failing pool may answer now and then. */
const SETTLED_MS = 1000;

/** One outage for all pools. It ends when every pool that failed has answered again. */
export class PostgresOutage {
  private readonly outage: Outage;
  /** When each pool last failed that has not answered since. */
  private readonly failing = new Map<Pool, number>();

  constructor(log = new Log('silent')) {
    this.outage = new Outage(log, {
      store: 'PostgreSQL',
      effect: 'what needs it is answered UNAVAILABLE',
      again: 'everything is answered again',
    });
  }

  /** Call it with the error of a failed call. Returns the error as the core knows it, for the caller to throw. */
  failed(pool: Pool, thrown: unknown): unknown {
    const error = storeError(thrown);
    if (error instanceof LatchkeyError && error.code === 'unavailable' && !isOfOneCall(error.cause)) {
      this.failing.set(pool, performance.now());
      this.outage.noticed(error, { pool });
    }
    return error;
  }

  /** Call it when a call of a pool has succeeded. */
  answered(pool: Pool): void {
    if (this.failing.size === 0) return;
    if (performance.now() - (this.failing.get(pool) ?? Infinity) < SETTLED_MS) return;
    // Readiness uses this pool every second, while others may not be used for hours. So this pool ends the outage.
    if (pool === 'validation' && this.failing.has(pool)) this.failing.clear();
    else this.failing.delete(pool);
    if (this.failing.size === 0) this.outage.over();
  }
}

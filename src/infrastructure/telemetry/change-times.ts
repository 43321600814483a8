import type { ChangeMeter } from '../../application/ports.js';
import { histogram, type Instrument } from './instrument.js';
import type { Log } from './log.js';
import { Tally } from './tally.js';

/** How long changes waited for leases. */
export class ChangeTimes implements ChangeMeter {
  private readonly times = new Tally();

  constructor(private readonly log: Pick<Log, 'warn'>) {}

  waited(ms: number, silent: readonly string[]): void {
    this.times.observe(ms / 1000);
    if (silent.length === 0) return;
    const why =
      'a change was answered only when the leases from before it had ended: not all instances acknowledged it';
    this.log.warn(why, { ms: Math.round(ms), silentRegistrations: silent });
  }

  instruments(): Instrument[] {
    const help = 'Time from the commit of a change to its answer, of changes that waited for leases';
    return [histogram('latchkey_change_wait_seconds', help, () => [[{}, this.times]])];
  }
}

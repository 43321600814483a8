import type { ChangeMeter } from '../../application/ports.js';
import { histogram, type Instrument } from './instrument.js';
import { Tally } from './tally.js';

/** How long calls waited for leases. */
export class ChangeTimes implements ChangeMeter {
  private readonly times = new Tally();

  waited(ms: number): void {
    this.times.observe(ms / 1000);
  }

  instruments(): Instrument[] {
    const help = 'Time from the end of the transaction to the answer, of calls that waited until leases had run out';
    return [histogram('latchkey_change_wait_seconds', help, () => [[{}, this.times]])];
  }
}

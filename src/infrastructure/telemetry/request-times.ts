import type { ChangeMeter } from '#application/account-ports.js';
import { histogram, type Instrument, Tally } from './instrument.js';

/**
 * How a request ended. `refused` is the caller's fault and `failed` is ours. `aborted` means that the caller left
 * before the answer. A gRPC validation that refuses a key is a proper answer: `ok`.
 */
export type Outcome = 'ok' | 'refused' | 'failed' | 'aborted';
const OUTCOMES: readonly Outcome[] = ['ok', 'refused', 'failed', 'aborted'];

export type Times = Readonly<Record<Outcome, Tally>>;

/** How long requests took, by method and outcome. Methods come from the code, never from a request. */
export class RequestTimes {
  private readonly byMethod = new Map<string, Times>();

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  /** The result may be kept for later requests of this method. */
  of(method: string): Times {
    let times = this.byMethod.get(method);
    if (!times) {
      times = { ok: new Tally(), refused: new Tally(), failed: new Tally(), aborted: new Tally() };
      this.byMethod.set(method, times);
    }
    return times;
  }

  instruments(): Instrument[] {
    return [histogram(this.name, this.help, () => this.used())];
  }

  /** Leaves out combinations that never occurred, which are most of them. */
  private *used(): Iterable<readonly [Readonly<Record<string, string>>, Tally]> {
    for (const [method, times] of this.byMethod) {
      for (const outcome of OUTCOMES) if (times[outcome].count > 0) yield [{ method, outcome }, times[outcome]];
    }
  }
}

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

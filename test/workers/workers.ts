import { setImmediate as nextTurn } from 'node:timers/promises';
import { outcomeOf, type Outcome } from '../faults/measure.js';
import { connectClients, type Clients } from '../support/callers/grpc-clients.js';
import type { ServiceProcess } from '../support/processes/service-process.js';

export const BURST = 10;
/** The slowest refill there is, so that charges stay during a test. */
export const TEN_AT_ONCE = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) };

export const logged = ({ out }: ServiceProcess) => out.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));

/** Callers like resource services: each has its own connection and sends one request after the other. */
export class Callers {
  private readonly clients: Clients[];

  constructor(
    target: string,
    private readonly fullKey: string,
    count: number,
    tokens: Parameters<typeof connectClients>[1] = {},
  ) {
    // Without this, gRPC would put all of them on one connection.
    const options = { 'grpc.use_local_subchannel_pool': 1 };
    this.clients = Array.from({ length: count }, () => connectClients(target, tokens, undefined, options));
  }

  /**
   * Validates the key again and again for each caller, until `isOver` is true for that caller's answers. Returns
   * them.
   */
  validateUntil(isOver: (outcomes: readonly Outcome[]) => boolean): Promise<Outcome[][]> {
    return Promise.all(
      this.clients.map(async (client) => {
        const outcomes: Outcome[] = [];
        while (!isOver(outcomes)) {
          outcomes.push(await outcomeOf(client.validate(this.fullKey)));
          // A caller that is refused at once would otherwise keep the event loop busy.
          await nextTurn();
        }
        return outcomes;
      }),
    );
  }

  close(): void {
    for (const client of this.clients) client.close();
  }
}

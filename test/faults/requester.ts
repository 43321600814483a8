import { bearer, connectClients } from '../support/callers/grpc-clients.js';
import { outcomeOf, type Outcome } from './measure.js';

/** Sends questions about keys to one instance, with unary calls and over a stream, without waiting for the answers. */
export class Requester {
  private readonly clients;
  private readonly stream;
  private readonly open = new Map<string, (outcome: Outcome) => void>();
  private requests = 0;

  constructor(target: string) {
    this.clients = connectClients(target);
    this.stream = this.clients.apiKeys.validateKeys(bearer('dev-validator-token'));
    this.stream.on('error', () => undefined);
    this.stream.on('data', ({ requestId, grant, denial, failure }) => {
      this.open.get(requestId)!(grant ? 'grant' : denial ? 'denial' : failure!.code);
    });
  }

  /** Sends each question once with a unary call and once over the stream. */
  send(fullKey: string, times: number): Promise<Outcome[]> {
    const outcomes: Promise<Outcome>[] = [];
    for (let time = 0; time < times; time += 1) {
      outcomes.push(outcomeOf(this.clients.validate(fullKey)), this.overStream(fullKey));
    }
    return Promise.all(outcomes);
  }

  close(): void {
    this.stream.cancel();
    this.clients.close();
  }

  private overStream(apiKey: string): Promise<Outcome> {
    const requestId = `request-${(this.requests += 1)}`;
    this.stream.write({ requestId, apiKey, operation: 'OPERATION_READ' });
    return new Promise((resolve) => this.open.set(requestId, resolve));
  }
}

import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { LeaseReport } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/LeaseReport.js';
import type { Lease__Output as Lease } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Lease.js';
import type { ValidateKeyRequest as Request } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output as Response } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { eventually } from '../eventually.js';
import type { Service } from '../processes/service.js';
import { bearer } from './grpc-clients.js';

const UNDERSTANDS = ['KEY_RESTRICTION_PERMISSIONS', 'KEY_RESTRICTION_NETWORKS'] as const;

/** A stream that wishes for leases, as a guard's would. It keeps every message, and gives back only what a test says. */
export class LeaseHolder {
  readonly messages: Response[] = [];
  private readonly call: ClientDuplexStream<Request, Response>;
  private readonly answered = new Map<string, (answer: Response) => void>();
  private requests = 0;
  private readonly ended: Promise<unknown>;

  /** @param onMessage sees each message when it arrives */
  constructor(service: Service, onMessage: (message: Response) => void = () => undefined) {
    this.call = service.clients.apiKeys.validateKeys(bearer('dev-validator-token'));
    this.call.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.call.once('status', resolve));
    this.call.on('data', (message: Response) => {
      this.messages.push(message);
      onMessage(message);
      this.answered.get(message.requestId)?.(message);
      this.answered.delete(message.requestId);
    });
  }

  get recalls(): readonly (readonly string[])[] {
    return this.messages.flatMap(({ recall }) => (recall ? [recall.ids] : []));
  }

  validate(apiKey: string, request: Request = {}): Promise<Response> {
    const requestId = String((this.requests += 1));
    const answer = new Promise<Response>((resolve) => this.answered.set(requestId, resolve));
    this.call.write({ apiKey, operation: 'OPERATION_READ', ...request, requestId });
    return answer;
  }

  async wish(apiKey: string, uses = 1, request: Request = {}): Promise<Lease | null> {
    return (await this.validate(apiKey, { leaseWish: { uses, understands: [...UNDERSTANDS] }, ...request })).lease;
  }

  /** Until the service is registered, it gives no lease. */
  wishUntilGiven(apiKey: string, uses = 1, request: Request = {}): Promise<Lease> {
    return eventually(() => this.wish(apiKey, uses, request));
  }

  report(leaseReport: LeaseReport): void {
    this.call.write({ leaseReport });
  }

  /** Resolves when the service has ended the stream. */
  async end(): Promise<void> {
    this.call.end();
    await this.ended;
  }
}

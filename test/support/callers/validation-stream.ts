import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { ValidateKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { bearer, type Clients } from './grpc-clients.js';

interface Waiting {
  readonly resolve: (answer: ValidateKeyResponse__Output) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends the requests of many callers on one stream, which is opened again when it has ended. */
export class ValidationStream {
  private call: ClientDuplexStream<ValidateKeyRequest, ValidateKeyResponse__Output> | undefined;
  private readonly waiting = new Map<string, Waiting>();
  private requests = 0;

  constructor(private readonly clients: Clients) {}

  /** Rejects with an error that has a gRPC `code`, like a unary call. */
  validate(request: ValidateKeyRequest): Promise<ValidateKeyResponse__Output> {
    this.call ??= this.open();
    const requestId = String((this.requests += 1));
    const answer = new Promise<ValidateKeyResponse__Output>((resolve, reject) =>
      this.waiting.set(requestId, { resolve, reject }),
    );
    this.call.write({ ...request, requestId });
    return answer;
  }

  close(): void {
    this.call?.end();
  }

  private open() {
    const call = this.clients.apiKeys.validateKeys(bearer('dev-validator-token'));
    call.on('data', (answer: ValidateKeyResponse__Output) => {
      const waiting = this.waiting.get(answer.requestId);
      this.waiting.delete(answer.requestId);
      if (answer.failure) waiting?.reject(answer.failure);
      else waiting?.resolve(answer);
    });
    call.on('error', () => undefined);
    call.on('status', (status) => {
      this.call = undefined;
      for (const { reject } of this.waiting.values()) reject(status);
      this.waiting.clear();
    });
    return call;
  }
}

import { type ClientDuplexStream, Metadata, status } from '@grpc/grpc-js';
import type { ApiKeyServiceClient } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ApiKeyService.js';
import type { ValidateKeyRequest } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output as ValidateKeyResponse } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import type { CallEnd } from './failure.js';
import type { OpenQuestion } from './open-question.js';

/** The most unanswered questions on one stream. The service reads no more than these. */
const maxOpen = 1024;

export interface StreamListener {
  streamOpened(stream: ValidationStream): void;
  streamEnded(stream: ValidationStream): void;
}

/**
 * One `ValidateKeys` call. Answers are matched by request id, which comes from callers: a stream never carries two
 * unanswered questions with the same id. A question past its deadline still counts, since its answer may still come.
 */
export class ValidationStream {
  /** Sent and unanswered questions, by request id. */
  private readonly open = new Map<string, OpenQuestion>();
  private readonly call: ClientDuplexStream<ValidateKeyRequest, ValidateKeyResponse>;
  private isRetired = false;
  private windowSeconds: number | undefined;
  /** Whether the stream has answered anything, and so has reached a working service. */
  hasAnswered = false;

  constructor(client: ApiKeyServiceClient, identity: Metadata, listener: StreamListener) {
    const patient = identity.clone();
    // The stream opens as soon as there is a connection, however long that takes.
    patient.setOptions({ waitForReady: true });
    this.call = client.validateKeys(patient);
    this.call.on('metadata', (metadata) => {
      this.windowSeconds = windowSecondsIn(metadata);
      if (!this.isRetired) listener.streamOpened(this);
    });
    this.call.on('data', (response: ValidateKeyResponse) => this.take(response));
    // The same error arrives as a status, too.
    this.call.on('error', () => undefined);
    let end: CallEnd = { code: status.UNKNOWN, details: 'the stream ended without a status' };
    this.call.on('status', (ended) => (end = ended));
    // This event comes after the last answer; the status may come before.
    this.call.on('end', () => {
      listener.streamEnded(this);
      for (const question of this.open.values()) question.lost(end);
    });
  }

  /** The address that the stream leads to. */
  get peer(): string {
    return this.call.getPeer();
  }

  get load(): number {
    return this.open.size;
  }

  /** Whether the stream can carry a question with this request id. */
  hasRoomFor(requestId: string): boolean {
    return this.open.size < maxOpen && !this.open.has(requestId);
  }

  send(question: OpenQuestion): void {
    this.open.set(question.prepared.requestId, question);
    this.call.write(question.request);
  }

  /** Takes no more questions, and ends once those already sent are answered or have reached their deadlines. */
  retire(): void {
    this.isRetired = true;
    const settled = Array.from(this.open.values(), (question) => question.settled);
    void Promise.allSettled(settled).then(() => this.call.cancel());
  }

  private take(response: ValidateKeyResponse): void {
    const question = this.open.get(response.requestId);
    if (!question) return;
    this.open.delete(response.requestId);
    this.hasAnswered = true;
    const { outcome, failure } = response;
    if (outcome === 'failure' && failure) question.refused({ code: failure.code, details: failure.message });
    else question.answer({ response, windowSeconds: this.windowSeconds });
  }
}

/**
 * The service's own window (burst / rate) in whole seconds. It counts for every key whose account has no rate and burst
 * of its own, so the service sends it once, in the initial metadata of a call or a stream, and not in each answer.
 */
export function windowSecondsIn(metadata: Metadata): number | undefined {
  const [text] = metadata.get('latchkey-ratelimit-window');
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

import { type ChannelCredentials, status } from '@grpc/grpc-js';
import type { ApiKeyServiceClient } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ApiKeyService.js';
import type { KeyUses } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/KeyUses.js';
import type { Connector } from './connector.js';
import type { OpenQuestion } from './open-question.js';
import { type StreamListener, ValidationStream, windowSecondsIn } from './validation-stream.js';

/** After this time, in milliseconds, a stream is replaced: sooner than in the half minute that a service lets it end. */
const streamMs = 20_000;
/** A lane that has no stream after this time, in milliseconds, tries with a new client. gRPC itself may wait for ever. */
const openTimeoutMs = 2000;
/** The pause before the next stream if the last one answered nothing, in milliseconds. */
const pauseMs = 1000;
/** In milliseconds. */
const reportTimeoutMs = 2000;

/**
 * One client of the service and the stream over it. gRPC connects again by itself; the lane opens the next stream.
 *
 * It does so again and again, and lets the old stream finish its answers. So it leaves a connection that the service
 * wants to end, moves to other addresses of the service, and notices that `tls` was renewed.
 */
export class Lane implements StreamListener {
  private credentials: ChannelCredentials;
  private client: ApiKeyServiceClient;
  /** The stream that takes questions. */
  stream: ValidationStream | undefined;
  /** The stream that replaces it once it is open. */
  private next: ValidationStream | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Whether the current stream was opened in the hope of another address than that of the other lane. */
  private hasMoved = false;
  private isClosed = false;

  constructor(
    private readonly connector: Connector,
    /** Whether another lane's stream leads to the same address. */
    private readonly isShared: (lane: Lane) => boolean,
  ) {
    this.credentials = connector.credentials();
    this.client = connector.connect(this.credentials);
    this.openStream();
  }

  /** Sends a question as a unary call. gRPC itself repeats the call only if no server has seen it. */
  sendUnary(question: OpenQuestion): void {
    const deadline = Date.now() + question.deadlineAt - performance.now();
    let windowSeconds: number | undefined;
    const call = this.client.validateKey(question.request, this.connector.identity, { deadline }, (error, response) => {
      if (error) question.refused(error);
      else if (response?.requestId === question.prepared.requestId) question.answer({ response, windowSeconds });
      else question.fail({ code: status.INTERNAL, details: 'the answer is that to another request' });
    });
    call.on('metadata', (metadata) => (windowSeconds = windowSecondsIn(metadata)));
  }

  /** Reports uses of leases, once. */
  report(uses: KeyUses[], done: () => void): void {
    this.client.reportUses({ uses }, this.connector.identity, { deadline: Date.now() + reportTimeoutMs }, done);
  }

  /** Takes no more questions. Those that were already sent are still answered. */
  retire(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.stream?.retire();
    this.next?.retire();
    this.stream = this.next = undefined;
  }

  /** Ends the lane once its questions are answered. */
  close(): void {
    this.retire();
    this.client.close();
  }

  streamOpened(stream: ValidationStream): void {
    if (stream !== this.next) return;
    this.stream?.retire();
    this.stream = stream;
    this.next = undefined;
    // One more try leads to another address, where there is one.
    const moves = !this.hasMoved && this.isShared(this);
    this.hasMoved = moves;
    if (moves) this.openStream();
    else this.wakeIn(streamMs * (0.5 + Math.random() / 2), () => this.openStream());
  }

  streamEnded(stream: ValidationStream): void {
    if (stream === this.stream) this.stream = undefined;
    if (stream === this.next) this.next = undefined;
    if (this.stream || this.next || this.isClosed) return;
    // Shortened at random, so that not all guards come back at the same moment.
    this.wakeIn(stream.hasAnswered ? 0 : pauseMs * (0.5 + Math.random() / 2), () => this.openStream());
  }

  private openStream(): void {
    const credentials = this.connector.credentials();
    if (credentials !== this.credentials) this.reconnect(credentials);
    this.next?.retire();
    this.next = new ValidationStream(this.client, this.connector.identity, this);
    this.wakeIn(openTimeoutMs, () => {
      this.reconnect(this.connector.credentials());
      this.openStream();
    });
  }

  /** Replaces the client, which looks up the addresses of the service again. */
  private reconnect(credentials: ChannelCredentials): void {
    this.client.close();
    this.credentials = credentials;
    this.client = this.connector.connect(credentials);
  }

  private wakeIn(ms: number, work: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(work, ms).unref();
  }
}

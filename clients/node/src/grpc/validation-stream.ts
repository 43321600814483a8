import { type ClientDuplexStream, status } from '@grpc/grpc-js';
import type { ValidateKeyResponse__Output as ValidateKeyResponse } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import type { Connection } from './connection.js';
import { type CallEnd, serviceError } from './failure.js';
import type { Holder, OpenQuestion } from './open-question.js';
import { PassingMap } from './passing-map.js';
import { windowSecondsIn } from './rate-limit-window.js';
import { decodeAnswer } from './wire/decode-answer.js';

/** The most unanswered questions on one stream. The service itself would accept more. */
const maxOpen = 128;

export interface StreamListener {
  streamOpened(stream: ValidationStream): void;
  /** Called when an answer has made room for another question. */
  streamHasRoom(): void;
  /** Called when questions reach their deadlines and no answer at all has come for a long time. */
  streamFellSilent(stream: ValidationStream): void;
  streamEnded(stream: ValidationStream, end: CallEnd): void;
}

/**
 * One `ValidateKeys` call. Answers are matched by request id, which comes from callers: a stream never carries two
 * unanswered questions with the same id. A question past its deadline still counts, since its answer may still come.
 */
export class ValidationStream implements Holder {
  /** Sent and unanswered questions, by request id. */
  private readonly open = new PassingMap<string, OpenQuestion>();
  private readonly call: ClientDuplexStream<Buffer, ValidateKeyResponse>;
  /** How many of these questions have not reached their deadline. */
  private awaited = 0;
  private isReady = false;
  private isRetired = false;
  private windowSeconds: number | undefined;
  private silentSince: number | undefined;
  /** Whether the stream has answered anything, and so has reached a working service. */
  hasAnswered = false;
  private end: CallEnd = { code: status.UNKNOWN, details: 'the stream ended without a status' };

  constructor(
    readonly connection: Connection,
    private readonly listener: StreamListener,
    private readonly maxSilenceMs: number,
  ) {
    const { client, identity, streamPath } = connection;
    const asItIs = (bytes: Buffer) => bytes;
    this.call = client.makeBidiStreamRequest(streamPath, asItIs, decodeAnswer, identity);
    this.call.on('metadata', (metadata) => {
      this.windowSeconds = windowSecondsIn(metadata);
      this.isReady = true;
      listener.streamOpened(this);
    });
    this.call.on('data', (response: ValidateKeyResponse) => this.take(response));
    // The same error arrives as a status, too.
    this.call.on('error', () => undefined);
    this.call.on('status', (end) => (this.end = end));
    // This event comes after the last answer; the status may come before.
    this.call.on('end', () => {
      this.isRetired = true;
      listener.streamEnded(this, this.end);
    });
  }

  get wasReady(): boolean {
    return this.isReady;
  }

  get takesQuestions(): boolean {
    return this.isReady && !this.isRetired;
  }

  get isFull(): boolean {
    return this.open.size >= maxOpen;
  }

  get load(): number {
    return this.open.size;
  }

  has(requestId: string): boolean {
    return this.open.has(requestId);
  }

  send(question: OpenQuestion): void {
    this.open.set(question.prepared.requestId, question);
    this.awaited += 1;
    question.holder = this;
    this.call.write(question.bytes);
  }

  /** Takes no more questions, waits for the answers to those already sent, then ends. */
  retire(): void {
    if (this.isRetired) return;
    this.isRetired = true;
    if (this.awaited > 0) this.call.end();
    else this.call.cancel();
  }

  expired(): void {
    this.silentSince ??= performance.now();
    this.letGo();
    this.checkSilence();
  }

  checkSilence(): void {
    if (this.silentSince === undefined || this.isRetired) return;
    if (performance.now() - this.silentSince > this.maxSilenceMs) this.listener.streamFellSilent(this);
  }

  /** The questions that were sent and have no answer. */
  unanswered(): OpenQuestion[] {
    return [...this.open.values()].filter((question) => !question.isSettled);
  }

  private take(response: ValidateKeyResponse): void {
    const question = this.open.get(response.requestId);
    if (!question) return;
    this.open.delete(response.requestId);
    this.hasAnswered = true;
    this.silentSince = undefined;
    if (!question.isSettled) {
      const { outcome, failure } = response;
      if (outcome === 'failure' && failure) {
        question.refuse(serviceError({ code: failure.code, details: failure.message }), this.connection);
      } else question.answer(response, this.windowSeconds);
      this.letGo();
    }
    this.listener.streamHasRoom();
  }

  private letGo(): void {
    this.awaited -= 1;
    if (this.awaited === 0 && this.isRetired) this.call.cancel();
  }
}

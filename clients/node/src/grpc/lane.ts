import { connectivityState, status } from '@grpc/grpc-js';
import type { Connection } from './connection.js';
import { ExtraStreams } from './extra-streams.js';
import type { CallEnd } from './failure.js';
import type { OpenQuestion } from './open-question.js';
import { ReopenDelay } from './reopen-delay.js';
import { sendUnary } from './unary.js';
import { type StreamListener, ValidationStream } from './validation-stream.js';

export interface LaneListener {
  /** Called when the lane may take questions that had to wait. */
  laneChanged(): void;
  /** Called when a stream of this lane has ended and will not answer these questions. */
  laneLost(questions: readonly OpenQuestion[], end: CallEnd): void;
}

/**
 * A lane is one connection and the streams over it: one stream, which the lane opens again whenever it ends, and more
 * while there are many questions.
 *
 * The service ends an old connection with GOAWAY. gRPC does not report that to the calls, but its channel leaves the
 * state READY. The lane then opens a new stream, for which gRPC makes a new connection, and lets the old streams finish
 * their answers.
 */
export class Lane implements StreamListener {
  /** The stream that takes questions, now or as soon as it is open. */
  private current: ValidationStream | undefined;
  private readonly extra = new ExtraStreams(() => this.newStream());
  private readonly delay = new ReopenDelay();
  private isClosed = false;
  /** Why there is no stream; undefined while one is opening. */
  failure: CallEnd | undefined;
  /** Whether the service is an older one, without streams. */
  isUnaryOnly = false;

  constructor(
    private readonly connection: Connection,
    private readonly listener: LaneListener,
    private readonly maxSilenceMs: number,
  ) {
    this.watch(this.channel.getConnectivityState(false));
    this.openStream();
  }

  /** The stream for the next question; undefined when none can take it. */
  nextStream(): ValidationStream | undefined {
    return this.current?.takesQuestions ? this.extra.nextAfter(this.current) : undefined;
  }

  sendUnary(question: OpenQuestion): void {
    sendUnary(this.connection, question);
  }

  /** Ends the lane. Questions that were already sent are still answered. */
  close(): void {
    this.isClosed = true;
    this.delay.cancel();
    this.retireStreams();
    this.connection.client.close();
  }

  checkSilence(): void {
    this.current?.checkSilence();
    this.extra.checkSilence();
  }

  streamOpened(stream: ValidationStream): void {
    if (stream === this.current) this.failure = undefined;
    this.listener.laneChanged();
  }

  streamHasRoom(): void {
    this.listener.laneChanged();
  }

  streamFellSilent(stream: ValidationStream): void {
    if (stream === this.current || this.extra.has(stream)) this.replaceStreams();
  }

  streamEnded(stream: ValidationStream, end: CallEnd): void {
    this.extra.drop(stream);
    if (stream === this.current) {
      this.current = undefined;
      this.isUnaryOnly = end.code === status.UNIMPLEMENTED && !stream.wasReady;
      if (this.isUnaryOnly) this.failure = undefined;
      else this.reopen(stream, end);
    }
    this.listener.laneLost(stream.unanswered(), end);
    this.listener.laneChanged();
  }

  private get channel() {
    return this.connection.client.getChannel();
  }

  private newStream(): ValidationStream {
    return new ValidationStream(this.connection, this, this.maxSilenceMs);
  }

  private openStream(): void {
    this.current = this.newStream();
    // Makes gRPC connect now, even if it would wait before its next try.
    this.channel.getConnectivityState(true);
  }

  /** @param end how the previous stream ended, if it has ended */
  private reopen(before: ValidationStream, end?: CallEnd): void {
    if (this.isClosed) return;
    const isAtOnce = this.delay.run(before.hasAnswered, () => this.openStream());
    // No question waits for this stream, which may take long to open.
    if (end && end.code !== status.OK && !(before.wasReady && isAtOnce)) this.failure = end;
  }

  private retireStreams(): ValidationStream | undefined {
    const stream = this.current;
    this.current = undefined;
    stream?.retire();
    this.extra.retire();
    return stream;
  }

  private replaceStreams(): void {
    const old = this.retireStreams();
    if (old) this.reopen(old);
  }

  private watch(state: connectivityState): void {
    this.channel.watchConnectivityState(state, Infinity, () => {
      if (this.isClosed) return;
      const next = this.channel.getConnectivityState(false);
      if (state === connectivityState.READY) this.connectionLeft();
      if (next === connectivityState.READY) this.connectionCame();
      this.watch(next);
    });
  }

  private connectionLeft(): void {
    if (this.isUnaryOnly) {
      this.isUnaryOnly = false;
      this.openStream();
    } else this.replaceStreams();
  }

  /** If there was no stream because there was no connection, a stream can be opened now. */
  private connectionCame(): void {
    if (this.current) return;
    this.delay.cancel();
    this.openStream();
  }
}

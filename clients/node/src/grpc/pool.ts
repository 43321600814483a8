import { status } from '@grpc/grpc-js';
import type { KeyUses } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/KeyUses.js';
import { type GuardOptions, defaultDeadlineMs } from '../options.js';
import type { PreparedQuestion } from '../question.js';
import { Connector } from './connector.js';
import { type CallEnd, serviceError } from './failure.js';
import { Lane, type LaneListener } from './lane.js';
import { type Answered, OpenQuestion } from './open-question.js';

/** More than one, so that a connection remains when one breaks. */
const laneCount = 2;
/** More texts than this, in characters, are sent as a unary call: a message of 64 KiB ends the whole stream. */
const maxLength = 10_000;
/** A stream that ends with one of these may have lost questions. With any other status, the service refused them. */
const broken: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.INTERNAL, status.CANCELLED, status.UNKNOWN]);

/** The most questions that may wait for an answer; more are refused at once. */
const maxOpen = 2048;
/** In milliseconds. */
const reportTimeoutMs = 2000;
/**
 * The pause before a question is sent again, in milliseconds. Most short causes of UNAVAILABLE are over by then, and
 * connections that break together are all known to be broken.
 */
const pauseMs = 20;

const full: CallEnd = { code: status.RESOURCE_EXHAUSTED, details: 'too many questions wait for the service' };
const closed: CallEnd = { code: status.CANCELLED, details: 'the guard is closed' };

/**
 * Spreads questions over the streams of two lanes. A question is sent as a unary call when no stream is open, when
 * every stream already carries its request id, or when it is very long.
 *
 * A question is sent at most twice, within its deadline. There are only two reasons for a second try: the service
 * answers UNAVAILABLE and there is time for a second try as long as the first, or the connection breaks. In both cases
 * the service may have validated the question already; then the key is charged, and a failure recorded, twice.
 * After any other status the question is not sent again.
 *
 * When the service ends a stream in order, it has not validated the questions that it has not answered. They are sent on
 * another stream, and this does not count as a second try.
 */
export class Pool implements LaneListener {
  private readonly lanes: readonly Lane[];
  private readonly connector: Connector;
  private readonly deadlineMs: number;
  private isClosed = false;
  /** How many reports are under way. */
  private reports = 0;
  /** How many questions wait for their answers. */
  private open = 0;

  /** @throws {Error} the TLS texts cannot be read */
  constructor(options: GuardOptions) {
    this.deadlineMs = options.deadlineMs ?? defaultDeadlineMs;
    this.connector = new Connector(options);
    this.lanes = Array.from({ length: laneCount }, () => new Lane(this.connector, this));
  }

  /**
   * Rejects with a gRPC ServiceError when there is no answer within the deadline.
   *
   * @param startedAt when the deadline begins, in milliseconds of `performance.now()`
   * @param wishedUses the uses of the lease that the question wishes for, if it wishes for one
   */
  validate(prepared: PreparedQuestion, startedAt: number, wishedUses?: number): Promise<Answered> {
    const question = new OpenQuestion(
      prepared,
      startedAt,
      startedAt + this.deadlineMs,
      wishedUses,
      () => (this.open -= 1),
    );
    this.open += 1;
    if (this.open > maxOpen) question.fail(serviceError(full));
    else if (question.deadlineAt <= performance.now()) question.expire();
    else this.place(question);
    return question.settled;
  }

  /** Reports what leases were used for, once. */
  report(uses: KeyUses[]): void {
    this.reports += 1;
    this.lanes[0]!.report(uses, reportTimeoutMs, () => {
      this.reports -= 1;
      this.endLanes();
    });
  }

  /** What is wrong with the TLS texts, to complete the message of a failure; empty if nothing is known. */
  trouble(): string {
    return this.connector.trouble();
  }

  close(): void {
    this.isClosed = true;
    for (const lane of this.lanes) lane.retire();
    this.endLanes();
  }

  /** The last reports need a connection. */
  private endLanes(): void {
    if (this.isClosed && this.reports === 0) for (const lane of this.lanes) lane.close();
  }

  questionFailed(question: OpenQuestion, lane: Lane, end: CallEnd): void {
    const now = performance.now();
    const tookMs = now - question.startedAt;
    // If the second answer took as long as the first, it would come too late: the try would be useless load.
    const isLate = now + pauseMs + tookMs >= question.deadlineAt;
    if (end.code !== status.UNAVAILABLE || isLate) question.fail(serviceError(end));
    else this.sendOnceMore(question, lane, end);
  }

  questionsLost(questions: readonly OpenQuestion[], lane: Lane, end: CallEnd): void {
    for (const question of questions) {
      // A stream that ended in order has not validated the questions that it did not answer.
      if (end.code === status.OK) this.place(question);
      else if (broken.has(end.code)) this.sendOnceMore(question, lane, end);
      else question.fail(serviceError(end));
    }
  }

  isShared(lane: Lane): boolean {
    return this.lanes.some((other) => other !== lane && other.peer === lane.peer);
  }

  private sendOnceMore(question: OpenQuestion, lane: Lane, end: CallEnd): void {
    if (question.setback) return question.fail(serviceError(end));
    question.setback = serviceError(end);
    question.triedOn = lane;
    // The pause is shortened at random, so that questions refused together do not come back together.
    setTimeout(() => this.place(question), pauseMs * (0.5 + Math.random() / 2));
  }

  private place(question: OpenQuestion): void {
    if (question.isSettled) return;
    if (this.isClosed) return question.fail(serviceError(closed));
    const { triedOn } = question;
    const { requestId, permission, authorization } = question.prepared;
    const costOf = (lane: Lane) => (lane === triedOn ? Number.MAX_SAFE_INTEGER : lane.load);
    let best: Lane | undefined;
    for (const lane of this.lanes) {
      if (lane.hasRoomFor(requestId) && (!best || costOf(lane) < costOf(best))) best = lane;
    }
    if (best && permission.length + authorization.length <= maxLength) return best.send(question);
    const others = this.lanes.filter((lane) => lane !== triedOn);
    (others.find((lane) => lane.hasStream) ?? others[0]!).sendUnary(question);
  }
}

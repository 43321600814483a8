import { type ServiceError, status } from '@grpc/grpc-js';
import type { KeyUses } from '../generated/latchkey/v1/KeyUses.js';
import type { PreparedQuestion } from '../question.js';
import type { Connection } from './connection.js';
import { Deadlines } from './deadlines.js';
import { type CallEnd, serviceError } from './failure.js';
import { Lane, type LaneListener } from './lane.js';
import { type Answered, type Holder, OpenQuestion, type Dispatcher } from './open-question.js';
import type { ValidationStream } from './validation-stream.js';

/** The most questions that may wait for a stream; more are refused at once. */
const maxWaiting = 2048;
/**
 * A longer message, in bytes, is sent as a unary call: past its limit of 64 KiB the service would end the whole stream.
 */
const maxBytes = 32 * 1024;
/** A stream that ends with one of these may have lost questions. With any other status, the service refused them. */
const broken: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.INTERNAL, status.CANCELLED, status.UNKNOWN]);

/** In milliseconds. */
const reportTimeoutMs = 2000;
/** Connections often break together. After this time, in milliseconds, the guard has noticed it for all of them. */
const noticeMs = 10;
/**
 * The pause before a refused question is sent again, in milliseconds. Most short causes of UNAVAILABLE are over by
 * then.
 */
const pauseMs = 20;

/** Spreads questions over the streams of a few lanes. */
export class Pool implements LaneListener, Holder, Dispatcher {
  private readonly lanes: readonly Lane[];
  private readonly deadlines = new Deadlines();
  private readonly waiting = new Set<OpenQuestion>();
  private isClosed = false;
  /** How many reports are under way. */
  private reports = 0;

  constructor(
    private readonly connections: readonly Connection[],
    private readonly deadlineMs: number,
  ) {
    // A stream without any answer for ten deadlines is closed.
    this.lanes = connections.map((connection) => new Lane(connection, this, 10 * deadlineMs));
  }

  /**
   * Rejects with a gRPC ServiceError when there is no answer within the deadline.
   *
   * @param startedAt when the deadline begins, in milliseconds of `performance.now()`
   * @param wishedUses the uses of the lease that the question wishes for, if it wishes for one
   */
  validate(prepared: PreparedQuestion, startedAt: number, wishedUses?: number): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const deadlineAt = startedAt + this.deadlineMs;
      const question = new OpenQuestion(prepared, startedAt, deadlineAt, resolve, reject, this, wishedUses);
      if (deadlineAt <= performance.now()) return question.expire();
      this.deadlines.add(question);
      if (this.waiting.size >= maxWaiting) question.fail(serviceError(tooMany));
      else this.admit(question);
    });
  }

  /** Reports what leases were used for, once. */
  report(uses: KeyUses[]): void {
    const { client, identity } = this.connections[0]!;
    this.reports += 1;
    client.reportUses({ uses }, identity, { deadline: Date.now() + reportTimeoutMs }, () => {
      this.reports -= 1;
      this.endLanes();
    });
  }

  close(): void {
    this.isClosed = true;
    this.endLanes();
    this.laneChanged();
  }

  /** The last reports need a connection. */
  private endLanes(): void {
    if (this.isClosed && this.reports === 0) for (const lane of this.lanes) lane.close();
  }

  expired(question: OpenQuestion): void {
    this.waiting.delete(question);
    for (const lane of this.lanes) lane.checkSilence();
  }

  settled(question: OpenQuestion): void {
    this.deadlines.remove(question);
  }

  refused(question: OpenQuestion, error: ServiceError): boolean {
    if (error.code !== status.UNAVAILABLE || question.setback) return false;
    const now = performance.now();
    const tookMs = now - question.startedAt;
    // If the second answer took as long as the first, it would come too late: the try would be useless load.
    if (now + pauseMs + tookMs >= question.deadlineAt) return false;
    // The pause is shortened at random, so that questions refused together do not come back together.
    this.sendAgain(question, error, pauseMs * (0.5 + Math.random() / 2));
    return true;
  }

  laneChanged(): void {
    if (this.waiting.size === 0) return;
    for (const question of this.waiting) {
      if (!this.place(question)) return;
      this.waiting.delete(question);
    }
  }

  laneLost(questions: readonly OpenQuestion[], end: CallEnd): void {
    // A stream that ended in order has not validated the questions that it did not answer.
    if (end.code === status.OK) for (const question of questions) this.admit(question);
    else for (const question of questions) this.sendOnceMore(question, end);
  }

  private sendOnceMore(question: OpenQuestion, end: CallEnd): void {
    if (question.setback || !broken.has(end.code)) question.fail(serviceError(end));
    else this.sendAgain(question, serviceError(end), noticeMs);
  }

  private sendAgain(question: OpenQuestion, setback: ServiceError, afterMs: number): void {
    question.setback = setback;
    question.holder = undefined;
    setTimeout(() => this.admit(question), afterMs);
  }

  private admit(question: OpenQuestion): void {
    if (question.isSettled) return;
    // A new question does not overtake the waiting ones.
    if (this.waiting.size === 0 && this.place(question)) return;
    question.holder = this;
    this.waiting.add(question);
  }

  /** @returns whether the question was sent or is settled; if not, it has to wait */
  private place(question: OpenQuestion): boolean {
    if (this.isClosed) {
      question.fail(serviceError(closed));
      return true;
    }
    const { requestId } = question.prepared;
    const isLong = question.bytes.length > maxBytes;
    let best: ValidationStream | undefined;
    let unaryLane: Lane | undefined;
    let mustWait = false;
    let failure = closed;
    const costOf = (stream: ValidationStream) => (stream.connection === question.refusedOver ? Infinity : stream.load);
    for (const lane of this.lanes) {
      const stream = lane.nextStream();
      if (lane.isUnaryOnly || (stream && isLong) || stream?.has(requestId)) unaryLane = lane;
      else if (!stream && lane.failure) failure = lane.failure;
      else if (!stream || stream.isFull) mustWait = true;
      else if (!best || costOf(stream) < costOf(best)) best = stream;
    }
    if (best) best.send(question);
    else if (unaryLane) unaryLane.sendUnary(question);
    else if (mustWait) return false;
    else question.fail(serviceError(failure));
    return true;
  }
}

const tooMany: CallEnd = { code: status.RESOURCE_EXHAUSTED, details: 'too many questions wait for the service' };
const closed: CallEnd = { code: status.CANCELLED, details: 'the guard is closed' };

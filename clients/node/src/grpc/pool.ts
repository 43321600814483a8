import { type ServiceError, status } from '@grpc/grpc-js';
import type { PreparedQuestion } from '../question.js';
import type { Connection } from './connection.js';
import { Deadlines } from './deadlines.js';
import { type CallEnd, serviceError } from './failure.js';
import { Lane, type LaneListener } from './lane.js';
import { type Answered, type Holder, OpenQuestion, type Dispatcher } from './open-question.js';
import type { ValidationStream } from './validation-stream.js';

/** Questions that may wait for a stream; the ones past these are refused at once. */
const maxWaiting = 2048;
/** The service refuses longer messages, and with one of them the whole stream. */
const maxBytes = 32 * 1024;
/** Ends of a stream by which questions may have got lost on the way; with any other the service has refused it. */
const broken: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.INTERNAL, status.CANCELLED, status.UNKNOWN]);

/** Connections often break together: so long it may take until each of them has been noticed. */
const noticeMs = 10;
/** Before a refused question is asked once more: most of what makes an instance say UNAVAILABLE for a moment has passed. */
const pauseMs = 20;

/** Spreads questions over streams on a few connections. */
export class Pool implements LaneListener, Holder, Dispatcher {
  private readonly lanes: readonly Lane[];
  private readonly deadlines = new Deadlines();
  private readonly waiting = new Set<OpenQuestion>();
  private isClosed = false;

  constructor(
    connections: readonly Connection[],
    private readonly deadlineMs: number,
  ) {
    // Ten deadlines without any answer, and the stream is given up.
    this.lanes = connections.map((connection) => new Lane(connection, this, 10 * deadlineMs));
  }

  ask(asked: PreparedQuestion): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const now = performance.now();
      const question = new OpenQuestion(asked, now, now + this.deadlineMs, resolve, reject, this);
      this.deadlines.add(question);
      if (this.waiting.size >= maxWaiting) question.fail(serviceError(tooMany));
      else this.admit(question);
    });
  }

  close(): void {
    this.isClosed = true;
    for (const lane of this.lanes) lane.close();
    this.laneChanged();
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
    const tookMs = now - question.askedAt;
    // An answer that takes as long again would come too late: it would be load for nothing.
    if (now + pauseMs + tookMs >= question.deadlineAt) return false;
    // Sooner by chance, so that what was refused together does not come back together.
    this.askAgain(question, error, pauseMs * (0.5 + Math.random() / 2));
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
    // What a stream has not answered before it ended in order has not been judged.
    if (end.code === status.OK) for (const question of questions) this.admit(question);
    else for (const question of questions) this.askOnceMore(question, end);
  }

  private askOnceMore(question: OpenQuestion, end: CallEnd): void {
    if (question.setback || !broken.has(end.code)) question.fail(serviceError(end));
    else this.askAgain(question, serviceError(end), noticeMs);
  }

  private askAgain(question: OpenQuestion, setback: ServiceError, afterMs: number): void {
    question.setback = setback;
    question.holder = undefined;
    setTimeout(() => this.admit(question), afterMs);
  }

  private admit(question: OpenQuestion): void {
    if (question.isSettled) return;
    // Nobody overtakes those who wait.
    if (this.waiting.size === 0 && this.place(question)) return;
    question.holder = this;
    this.waiting.add(question);
  }

  /** @returns whether it was sent or is settled; if not it has to wait */
  private place(question: OpenQuestion): boolean {
    if (this.isClosed) {
      question.fail(serviceError(closed));
      return true;
    }
    const { requestId } = question.asked;
    const isLong = question.bytes.length > maxBytes;
    let best: ValidationStream | undefined;
    let byItself: Lane | undefined;
    let mustWait = false;
    let failure = closed;
    const costOf = (stream: ValidationStream) => (stream.connection === question.refusedOver ? Infinity : stream.load);
    for (const lane of this.lanes) {
      const stream = lane.nextStream();
      if (lane.isUnaryOnly || (stream && isLong) || stream?.has(requestId)) byItself = lane;
      else if (!stream && lane.failure) failure = lane.failure;
      else if (!stream || stream.isFull) mustWait = true;
      else if (!best || costOf(stream) < costOf(best)) best = stream;
    }
    if (best) best.send(question);
    else if (byItself) byItself.askUnary(question);
    else if (mustWait) return false;
    else question.fail(serviceError(failure));
    return true;
  }
}

const tooMany: CallEnd = { code: status.RESOURCE_EXHAUSTED, details: 'too many questions wait for the service' };
const closed: CallEnd = { code: status.CANCELLED, details: 'the guard is closed' };

import { status } from '@grpc/grpc-js';
import type { KeyUses } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/KeyUses.js';
import { type GuardOptions, defaultDeadlineMs } from '../options.js';
import { type PreparedQuestion, textOf } from '../question.js';
import { Connector } from './connector.js';
import type { CallEnd } from './failure.js';
import { Lane } from './lane.js';
import { type Answered, OpenQuestion } from './open-question.js';

/** More than one, so that a connection remains when one breaks. */
const laneCount = 2;
/** More texts than this, in characters, are sent as a unary call: a message of 64 KiB ends the whole stream. */
const maxLength = 10_000;
/** The most questions that may wait for an answer; more are refused at once. */
const maxOpen = 2048;

const full: CallEnd = { code: status.RESOURCE_EXHAUSTED, details: 'too many questions wait for the service' };
const closed: CallEnd = { code: status.CANCELLED, details: 'the guard is closed' };

/**
 * Spreads questions over the streams of two lanes. A question is sent as a unary call when no stream is open, when
 * every stream already carries its request id, or when it is very long.
 */
export class Pool {
  readonly connector: Connector;
  private readonly lanes: readonly Lane[];
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
    const isShared = (lane: Lane) =>
      this.lanes.some((other) => other !== lane && other.stream?.peer === lane.stream?.peer);
    this.lanes = Array.from({ length: laneCount }, () => new Lane(this.connector, isShared));
  }

  /**
   * Rejects with `CallFailed` when there is no answer within the deadline.
   *
   * @param startedAt when the deadline begins, in milliseconds of `performance.now()`
   * @param wishedUses the uses of the lease that the question wishes for, if it wishes for one
   */
  async validate(prepared: PreparedQuestion, startedAt: number, wishedUses?: number): Promise<Answered> {
    const deadlineAt = startedAt + this.deadlineMs;
    const question = new OpenQuestion(prepared, startedAt, deadlineAt, wishedUses, (again) => this.send(again));
    this.open += 1;
    try {
      if (this.open > maxOpen) question.fail(full);
      else if (deadlineAt <= performance.now()) question.expire();
      else this.send(question);
      return await question.settled;
    } finally {
      this.open -= 1;
    }
  }

  /** Reports what leases were used for, once. */
  report(uses: KeyUses[]): void {
    this.reports += 1;
    this.lanes[0]!.report(uses, () => {
      this.reports -= 1;
      this.endLanes();
    });
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

  private send(question: OpenQuestion): void {
    if (question.isSettled) return;
    if (this.isClosed) return question.fail(closed);
    const { triedOn, prepared } = question;
    const isShort = prepared.permission.length + textOf(prepared.credential).length <= maxLength;
    const costOf = (lane: Lane) => (lane === triedOn ? Number.MAX_SAFE_INTEGER : lane.stream!.load);
    let best: Lane | undefined;
    for (const lane of isShort ? this.lanes : []) {
      if (lane.stream?.hasRoomFor(prepared.requestId) && (!best || costOf(lane) < costOf(best))) best = lane;
    }
    const others = this.lanes.filter((lane) => lane !== triedOn);
    const lane = best ?? others.find(({ stream }) => stream) ?? others[0]!;
    question.triedOn = lane;
    if (best) best.stream!.send(question);
    else lane.sendUnary(question);
  }
}

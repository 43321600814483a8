import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import type { LeaseGiver } from '../../../../application/leases/lease-giver.js';
import type { RecordLeaseUses } from '../../../../application/leases/record-lease-uses.js';
import type { ValidateKey } from '../../../../application/validation/validate-key.js';
import { type RateLimit, rateLimitWindowSeconds } from '../../../../domain/rate-limit.js';
import { counter, gauge, type Instrument } from '../../../telemetry/instrument.js';
import type { OpenSpan } from '../../../telemetry/traces.js';
import type { Log } from '../../../telemetry/log.js';
import { OpenStreams } from '../open-streams.js';
import type { Each, GrpcDoor, StreamMethod, UnaryMethod } from '../grpc-door.js';
import { toAnswer } from './answers.js';
import { readRequest, requestIdOf } from './questions.js';
import { VALIDATION_PROTO, VALIDATION_SERVICE, type WireAnswer, type WireQuestion } from './validation-messages.js';
import { givenBackIn, restrictionsOf, toLease, usesIn } from './lease-messages.js';
import { type AnswerStream, answerStream } from './validation-stream.js';

interface ValidationServiceParts {
  readonly validateKey: ValidateKey;
  readonly recordLeaseUses: RecordLeaseUses;
  /** Undefined where this process gives no leases. */
  readonly leases?: LeaseGiver;
  readonly rateLimit: RateLimit;
  readonly log: Log;
}

/** `latchkey.v1.ApiKeyService`: guards call it for every request of the platform. */
export class ValidationService implements GrpcDoor {
  readonly service = 'latchkey.v1.ApiKeyService';
  readonly proto = VALIDATION_PROTO;
  readonly definition = VALIDATION_SERVICE;
  readonly role = 'validator';
  readonly methods;
  private readonly streams = new OpenStreams();
  /** `w` of the RateLimit-Policy header: the seconds in which an empty bucket refills. Sent as initial metadata. */
  private readonly window = new Metadata();

  constructor(private readonly parts: ValidationServiceParts) {
    this.window.set('latchkey-ratelimit-window', String(rateLimitWindowSeconds(parts.rateLimit)));
    const ValidateKey: UnaryMethod<WireQuestion, WireAnswer> = {
      answer: (question, call, identity) => this.answerOne(question, call, identity),
      arrivedAt: ({ readAt }) => readAt,
      requestId: requestIdOf,
    };
    const ValidateKeys: StreamMethod<WireQuestion, WireAnswer> = {
      converse: (call, each, identity) => {
        call.sendMetadata(this.window);
        this.streams.add(call);
        answerStream(call, this.answering(each, identity), parts.log);
      },
    };
    this.methods = { ValidateKey, ValidateKeys };
  }

  instruments(): Instrument[] {
    const { leases, recordLeaseUses } = this.parts;
    const counts = () => leases?.counts ?? { given: 0, charged: 0, recalled: 0 };
    return [
      gauge('latchkey_validation_streams_open', 'Open validation streams', () => this.streams.count),
      gauge('latchkey_leases_held', 'Leases that guards may be using', () => leases?.held ?? 0),
      counter('latchkey_leases_given_total', 'Leases that were given', () => counts().given),
      counter('latchkey_leases_recalled_total', 'Leases that were recalled', () => counts().recalled),
      counter('latchkey_lease_uses_total', 'Uses of leases that were charged beforehand', () => counts().charged),
      counter('latchkey_lease_uses_spent_total', 'Uses of leases that guards reported', () => recordLeaseUses.spent),
    ];
  }

  drain(): void {
    this.streams.drain();
  }

  private async answerOne(
    wire: WireQuestion,
    call: ServerUnaryCall<WireQuestion, WireAnswer>,
    service: string,
  ): Promise<WireAnswer> {
    const { validateKey, rateLimit } = this.parts;
    const validation = await validateKey.execute(readRequest(wire, service));
    // Sent only now, so that headers and answer travel in one packet.
    call.sendMetadata(this.window);
    return toAnswer(wire.requestId, validation, rateLimit);
  }

  private answering(each: Each, service: string): Parameters<typeof answerStream>[1] {
    const { leases, recordLeaseUses } = this.parts;
    return {
      answer: (wire, stream) => {
        const { leaseWish, readAt } = wire;
        if (!leases || !leaseWish) return each(() => this.answerOn(stream, wire, service), readAt);
        return each((span) => this.answerWithLease({ leases, stream, wire, service, span }), readAt);
      },
      receive: (report, stream) => {
        if (report.givenBack.length > 0) leases?.giveBack(stream, givenBackIn(report));
        recordLeaseUses.execute(usesIn(report), service);
      },
    };
  }

  private async answerOn(stream: AnswerStream, wire: WireQuestion, service: string): Promise<void> {
    const { validateKey, rateLimit } = this.parts;
    stream.write(toAnswer(wire.requestId, await validateKey.execute(readRequest(wire, service)), rateLimit));
  }

  private async answerWithLease({ leases, stream, wire, service, span }: LeaseAnswer): Promise<void> {
    const { uses, understands } = wire.leaseWish!;
    const attempt = leases.begin({ stream, arrivedAtMs: wire.readAt, understands: restrictionsOf(understands) });
    try {
      const request = { ...readRequest(wire, service), leaseWish: { ...attempt, uses } };
      const validation = await this.parts.validateKey.execute(request);
      const answer = toAnswer(wire.requestId, validation, this.parts.rateLimit);
      const { lease } = validation;
      // From here to the write, nothing may wait: a recall must follow the lease.
      const id = lease && stream.isOpen ? leases.give(attempt, lease) : undefined;
      stream.write(id === undefined ? answer : { ...answer, lease: toLease(id, lease!) });
      if (id !== undefined) span?.note('latchkey.lease.uses', lease!.uses);
    } finally {
      leases.end(attempt);
    }
  }
}

interface LeaseAnswer {
  readonly leases: LeaseGiver;
  readonly stream: AnswerStream;
  readonly wire: WireQuestion;
  readonly service: string;
  readonly span: OpenSpan | undefined;
}

import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import type { ValidateKey } from '../../../../application/validation/validate-key.js';
import { type RateLimit, rateLimitWindowSeconds } from '../../../../domain/rate-limit.js';
import { gauge, type Instrument } from '../../../telemetry/instrument.js';
import type { Log } from '../../../telemetry/log.js';
import { OpenStreams } from '../open-streams.js';
import type { Each, GrpcDoor, StreamMethod, UnaryMethod } from '../grpc-door.js';
import { toAnswer } from './answers.js';
import { readRequest, requestIdOf } from './questions.js';
import { VALIDATION_PROTO, VALIDATION_SERVICE, type WireAnswer, type WireQuestion } from './validation-messages.js';
import { answerStream } from './validation-stream.js';

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

  constructor(
    private readonly validateKey: ValidateKey,
    private readonly rateLimit: RateLimit,
    private readonly log: Log,
  ) {
    this.window.set('latchkey-ratelimit-window', String(rateLimitWindowSeconds(rateLimit)));
    const ValidateKey: UnaryMethod<WireQuestion, WireAnswer> = {
      answer: (question, call, identity) => this.answerOne(question, call, identity),
      arrivedAt: ({ readAt }) => readAt,
      requestId: requestIdOf,
    };
    const ValidateKeys: StreamMethod<WireQuestion, WireAnswer> = {
      converse: (call, each, identity) => {
        call.sendMetadata(this.window);
        this.streams.add(call);
        answerStream(call, this.answerEach(each, identity), this.log);
      },
    };
    this.methods = { ValidateKey, ValidateKeys };
  }

  instruments(): Instrument[] {
    return [gauge('latchkey_validation_streams_open', 'Open validation streams', () => this.streams.count)];
  }

  drain(): void {
    this.streams.drain();
  }

  private async answerOne(
    question: WireQuestion,
    call: ServerUnaryCall<WireQuestion, WireAnswer>,
    service: string,
  ): Promise<WireAnswer> {
    const answer = await this.answer(question, service);
    // Sent only now, so that headers and answer travel in one packet.
    call.sendMetadata(this.window);
    return answer;
  }

  private answerEach(each: Each, service: string) {
    return (question: WireQuestion) => each(() => this.answer(question, service), question.readAt);
  }

  private async answer(wire: WireQuestion, service: string): Promise<WireAnswer> {
    return toAnswer(wire.requestId, await this.validateKey.execute(readRequest(wire, service)), this.rateLimit);
  }
}

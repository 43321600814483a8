import type { ServerUnaryCall } from '@grpc/grpc-js';
import type { ValidateKey } from '../../../../application/validation/validate-key.js';
import type { Instrument } from '../../../telemetry/instrument.js';
import type { Log } from '../../../telemetry/log.js';
import type { Each, GrpcDoor, StreamMethod, UnaryMethod } from '../grpc-door.js';
import { toAnswer } from './answers.js';
import { OpenStreams } from './open-streams.js';
import { readQuestion, requestIdOf } from './questions.js';
import type { RateLimitWindow } from './rate-limit-window.js';
import { VALIDATION_PROTO, VALIDATION_SERVICE, type WireAnswer, type WireQuestion } from './validation-messages.js';
import { answerStream } from './validation-stream.js';

/** `latchkey.v1.ApiKeyService`: every request of the platform is asked about here. */
export class ValidationService implements GrpcDoor {
  readonly service = 'latchkey.v1.ApiKeyService';
  readonly proto = VALIDATION_PROTO;
  readonly definition = VALIDATION_SERVICE;
  readonly role = 'validator';
  readonly methods;
  private readonly streams = new OpenStreams();

  constructor(
    private readonly validateKey: ValidateKey,
    private readonly window: RateLimitWindow,
    private readonly log: Log,
  ) {
    const ValidateKey: UnaryMethod<WireQuestion, WireAnswer> = {
      answer: (question, call, identity) => this.answerOne(question, call, identity),
      arrivedAt: ({ readAt }) => readAt,
      requestId: requestIdOf,
    };
    const ValidateKeys: StreamMethod<WireQuestion, WireAnswer> = {
      converse: (call, each, identity) => {
        call.sendMetadata(this.window.metadata);
        this.streams.add(call);
        answerStream(call, this.answerEach(each, identity), this.log);
      },
    };
    this.methods = { ValidateKey, ValidateKeys };
  }

  instruments(): Instrument[] {
    return this.streams.instruments();
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
    // Only now: sent together, headers and answer travel in one packet.
    call.sendMetadata(this.window.metadata);
    return answer;
  }

  private answerEach(each: Each, service: string) {
    return (question: WireQuestion) => each(() => this.answer(question, service), question.readAt);
  }

  private async answer(wire: WireQuestion, service: string): Promise<WireAnswer> {
    const request = { ...readQuestion(wire), service, arrivedAt: wire.readAt };
    return toAnswer(wire.requestId, await this.validateKey.execute(request));
  }
}

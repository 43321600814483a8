import type { sendUnaryData, Server, ServerDuplexStream, ServerUnaryCall } from '@grpc/grpc-js';
import type { ValidateKey } from '../../application/validate-key.js';
import type { Log } from '../log.js';
import type { ServiceIdentity } from '../service-identity.js';
import { toAnswer } from './answers.js';
import { callerOf } from './caller.js';
import { toStatus } from './grpc-error.js';
import type { OpenStreams } from './open-streams.js';
import { readQuestion } from './questions.js';
import type { RateLimitWindow } from './rate-limit-window.js';
import { answerStream } from './validation-stream.js';
import { VALIDATION_SERVICE, type WireAnswer, type WireQuestion } from './wire.js';

/**
 * `latchkey.v1.ApiKeyService`, on the gRPC server itself: every request of the platform comes through here, so nothing
 * stands between the library and the use case.
 */
export class ValidationService {
  constructor(
    private readonly validateKey: ValidateKey,
    private readonly identity: ServiceIdentity,
    private readonly window: RateLimitWindow,
    private readonly streams: OpenStreams,
    private readonly log: Log,
  ) {}

  addTo(server: Server): void {
    server.addService(VALIDATION_SERVICE, {
      ValidateKey: (call: ServerUnaryCall<WireQuestion, WireAnswer>, done: sendUnaryData<WireAnswer>) =>
        void this.answerOne(call, done),
      ValidateKeys: (call: ServerDuplexStream<WireQuestion, WireAnswer>) => this.answerMany(call),
    });
  }

  private async answerOne(
    call: ServerUnaryCall<WireQuestion, WireAnswer>,
    done: sendUnaryData<WireAnswer>,
  ): Promise<void> {
    try {
      this.identity.require('validator', callerOf(call));
      const answer = await this.answer(call.request);
      // Only now: sent together, headers and answer travel in one packet.
      call.sendMetadata(this.window.metadata);
      done(null, answer);
    } catch (error) {
      this.log.fault(error);
      done(toStatus(error));
    }
  }

  private answerMany(call: ServerDuplexStream<WireQuestion, WireAnswer>): void {
    try {
      this.identity.require('validator', callerOf(call));
    } catch (error) {
      call.emit('error', toStatus(error));
      return;
    }
    call.sendMetadata(this.window.metadata);
    this.streams.add(call);
    answerStream(call, (question) => this.answer(question), this.log);
  }

  private async answer(wire: WireQuestion): Promise<WireAnswer> {
    const { credential, question, client } = readQuestion(wire);
    return toAnswer(wire.requestId, await this.validateKey.execute(credential, question, client));
  }
}

import type { sendUnaryData, Server, ServerDuplexStream, ServerUnaryCall } from '@grpc/grpc-js';
import type { ValidateKey } from '../../../../application/keys/validate-key.js';
import type { Log } from '../../../telemetry/log.js';
import type { ServiceIdentity } from '../../shared/service-identity.js';
import type { GrpcRequestTimes, Outcome, Times } from '../../../telemetry/request-times.js';
import type { OpenSpan, Traces } from '../../../telemetry/traces.js';
import { toAnswer } from './answers.js';
import { callerOf } from '../caller.js';
import { outcomeOf, toStatus } from '../grpc-error.js';
import type { OpenStreams } from './open-streams.js';
import { readQuestion } from './questions.js';
import type { RateLimitWindow } from './rate-limit-window.js';
import { timed } from '../timed.js';
import { traceparentOf } from '../traceparent.js';
import { answerStream } from './validation-stream.js';
import { VALIDATION_SERVICE, type WireAnswer, type WireQuestion } from './validation-messages.js';

const SINGLE = 'ApiKeyService/ValidateKey';
const STREAMED = 'ApiKeyService/ValidateKeys';

/**
 * `latchkey.v1.ApiKeyService`, on the gRPC server itself: every request of the platform comes through here, so nothing
 * stands between the library and the use case.
 */
export class ValidationService {
  private readonly single: Times;
  private readonly streamed: Times;

  constructor(
    private readonly validateKey: ValidateKey,
    private readonly identity: ServiceIdentity,
    private readonly window: RateLimitWindow,
    private readonly streams: OpenStreams,
    private readonly log: Log,
    times: GrpcRequestTimes,
    private readonly traces: Traces,
  ) {
    this.single = times.of(SINGLE);
    this.streamed = times.of(STREAMED);
  }

  addTo(server: Server): void {
    const { traces } = this;
    type Call = ServerUnaryCall<WireQuestion, WireAnswer>;
    server.addService(VALIDATION_SERVICE, {
      ValidateKey: (call: Call, done: sendUnaryData<WireAnswer>) =>
        traces.isOn
          ? void traces.serve(SINGLE, traceparentOf(call.metadata), (span) => this.answerOne(call, done, span))
          : void this.answerOne(call, done),
      ValidateKeys: (call: ServerDuplexStream<WireQuestion, WireAnswer>) => this.answerMany(call),
    });
  }

  private async answerOne(
    call: ServerUnaryCall<WireQuestion, WireAnswer>,
    done: sendUnaryData<WireAnswer>,
    span?: OpenSpan,
  ): Promise<void> {
    const begun = performance.now();
    let outcome: Outcome = 'ok';
    try {
      this.identity.require('validator', callerOf(call));
      const answer = await this.answer(call.request);
      // Only now: sent together, headers and answer travel in one packet.
      call.sendMetadata(this.window.metadata);
      done(null, answer);
    } catch (error) {
      this.log.fault(error);
      outcome = outcomeOf(error);
      done(toStatus(error));
    }
    if (call.cancelled) outcome = 'aborted';
    this.single[outcome].observeSince(begun);
    span?.end(outcome);
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
    answerStream(call, (question) => this.answerAsked(question), this.log);
  }

  /** Each question of a stream is somebody else's: they are told one by one, in no trace of the stream's own. */
  private answerAsked(wire: WireQuestion): Promise<WireAnswer> {
    const { traces, streamed } = this;
    const answer = () => this.answer(wire);
    if (!traces.isOn) return timed(streamed, undefined, answer);
    return traces.serve(STREAMED, undefined, (span) => timed(streamed, span, answer));
  }

  private async answer(wire: WireQuestion): Promise<WireAnswer> {
    const { credential, question, client } = readQuestion(wire);
    return toAnswer(wire.requestId, await this.validateKey.execute(credential, question, client));
  }
}

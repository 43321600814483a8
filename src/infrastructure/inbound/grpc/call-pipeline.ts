import type {
  handleBidiStreamingCall,
  handleUnaryCall,
  sendUnaryData,
  ServerUnaryCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Log } from '../../telemetry/log.js';
import type { GrpcRequestTimes, Outcome, Times } from '../../telemetry/request-times.js';
import type { OpenSpan, Traces } from '../../telemetry/traces.js';
import type { ServiceIdentity } from '../shared/service-identity.js';
import { callerOf } from './caller.js';
import type { Each, GrpcDoor, StreamMethod, UnaryMethod } from './grpc-door.js';
import { outcomeOf, toStatus } from './grpc-error.js';
import { traceparentOf } from './traceparent.js';

type Role = GrpcDoor['role'];

/** What every call of every service passes: its caller's identity, its time, its trace, and the words for its error. */
export class CallPipeline {
  constructor(
    private readonly identity: ServiceIdentity,
    private readonly times: GrpcRequestTimes,
    private readonly traces: Traces,
    private readonly log: Log,
  ) {}

  /** The methods of a door as the gRPC library calls them. */
  implement({ service, role, methods }: GrpcDoor): UntypedServiceImplementation {
    const shortName = service.slice(service.lastIndexOf('.') + 1);
    const implemented = Object.entries(methods).map(([method, work]) => {
      const name = `${shortName}/${method}`;
      return [method, 'answer' in work ? this.unary(name, role, work) : this.stream(name, role, work)] as const;
    });
    return Object.fromEntries(implemented) as UntypedServiceImplementation;
  }

  private unary<Request, Answer>(
    name: string,
    role: Role,
    method: UnaryMethod<Request, Answer>,
  ): handleUnaryCall<Request, Answer> {
    const times = this.times.of(name);
    const { traces } = this;
    return (call, done) =>
      void (traces.isOn
        ? traces.serve(name, traceparentOf(call.metadata), (span) => this.serve(role, method, times, call, done, span))
        : this.serve(role, method, times, call, done));
  }

  private async serve<Request, Answer>(
    role: Role,
    method: UnaryMethod<Request, Answer>,
    times: Times,
    call: ServerUnaryCall<Request, Answer>,
    done: sendUnaryData<Answer>,
    span?: OpenSpan,
  ): Promise<void> {
    const begun = method.arrivedAt?.(call.request) ?? performance.now();
    let outcome: Outcome = 'ok';
    let isIdentified = false;
    try {
      const identity = this.identity.require(role, callerOf(call));
      isIdentified = true;
      done(null, await method.answer(call.request, call, identity));
    } catch (error) {
      this.log.fault(error, { requestId: method.requestId?.(call.request) });
      outcome = outcomeOf(error);
      if (isIdentified && method.answerToError) done(null, method.answerToError());
      else done(toStatus(error));
    }
    if (call.cancelled) outcome = 'aborted';
    times[outcome].observeSince(begun);
    span?.end(outcome);
  }

  private stream<Question, Answer>(
    name: string,
    role: Role,
    method: StreamMethod<Question, Answer>,
  ): handleBidiStreamingCall<Question, Answer> {
    const each = this.each(name);
    return (call) => {
      try {
        const identity = this.identity.require(role, callerOf(call));
        method.converse(call, each, identity);
      } catch (error) {
        this.log.fault(error);
        call.emit('error', toStatus(error));
      }
    };
  }

  /** Each question of a stream belongs to another request: it has a time of its own, and a trace of its own. */
  private each(name: string): Each {
    const times = this.times.of(name);
    const { traces } = this;
    return (work, arrivedAt = performance.now()) =>
      traces.isOn
        ? traces.serve(name, undefined, (span) => timed(times, arrivedAt, work, span))
        : timed(times, arrivedAt, work);
  }
}

async function timed<T>(times: Times, begun: number, work: () => Promise<T>, span?: OpenSpan): Promise<T> {
  let outcome: Outcome = 'ok';
  try {
    return await work();
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    times[outcome].observeSince(begun);
    span?.end(outcome);
  }
}

import type { PeerCertificate } from 'node:tls';
import {
  type handleBidiStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type sendUnaryData,
  type ServerUnaryCall,
  status,
  type StatusObject,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Log } from '../../telemetry/log.js';
import type { Outcome, RequestTimes } from '../../telemetry/request-times.js';
import type { OpenSpan, Traces } from '../../telemetry/traces.js';
import { mapError } from '../shared/error-table.js';
import { inProtoSpelling } from '../shared/proto-spelling.js';
import type { Caller, ServiceIdentity } from '../shared/service-identity.js';
import type { Each, GrpcDoor, StreamMethod, UnaryMethod } from './grpc-door.js';

type Role = GrpcDoor['role'];

/** What every gRPC call passes: service identity, timing, tracing, and the mapping of errors to a status. */
export class CallPipeline {
  constructor(
    private readonly identity: ServiceIdentity,
    private readonly times: RequestTimes,
    private readonly traces: Traces,
    private readonly log: Log,
  ) {}

  /** The methods of a door in the form that the gRPC library calls. */
  implement({ service, role, methods }: GrpcDoor): UntypedServiceImplementation {
    const shortName = service.slice(service.lastIndexOf('.') + 1);
    const implemented = Object.entries(methods).map(([method, work]) => {
      const name = `${shortName}/${method}`;
      const needed = work.role ?? role;
      return [method, 'answer' in work ? this.unary(name, needed, work) : this.stream(name, needed, work)] as const;
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
    const serve = async (
      call: ServerUnaryCall<Request, Answer>,
      done: sendUnaryData<Answer>,
      span?: OpenSpan,
    ): Promise<void> => {
      const begun = method.arrivedAt?.(call.request) ?? performance.now();
      let outcome: Outcome = 'ok';
      let isIdentified = false;
      try {
        const identity = this.identity.require(role, callerOf(call), name);
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
    };
    return (call, done) =>
      void (traces.isOn
        ? traces.serve(name, traceparentOf(call.metadata), (span) => serve(call, done, span))
        : serve(call, done));
  }

  private stream<Question, Answer>(
    name: string,
    role: Role,
    method: StreamMethod<Question, Answer>,
  ): handleBidiStreamingCall<Question, Answer> {
    const each = this.each(name);
    return (call) => {
      const fail = (error: unknown) => {
        this.log.fault(error);
        call.emit('error', toStatus(error));
      };
      try {
        const identity = this.identity.require(role, callerOf(call), name);
        method.converse(call, each, identity, fail);
      } catch (error) {
        fail(error);
      }
    };
  }

  /** Each question on a stream belongs to another request, so it is timed and traced separately. */
  private each(name: string): Each {
    const times = this.times.of(name);
    const { traces } = this;
    const timed = async <T>(work: (span?: OpenSpan) => Promise<T>, begun: number, span?: OpenSpan): Promise<T> => {
      let outcome: Outcome = 'ok';
      try {
        return await work(span);
      } catch (error) {
        outcome = outcomeOf(error);
        throw error;
      } finally {
        times[outcome].observeSince(begun);
        span?.end(outcome);
      }
    };
    return (work, begun = performance.now()) =>
      traces.isOn ? traces.serve(name, undefined, (span) => timed(work, begun, span)) : timed(work, begun);
  }
}

/** The part of a grpc-js server call that identifies the caller. */
interface IdentifiedCall {
  readonly metadata: Metadata;
  getPeer(): string;
  getAuthContext(): { sslPeerCertificate?: PeerCertificate | undefined } | null;
}

export function callerOf(call: IdentifiedCall): Caller {
  return {
    authorization: call.metadata.get('authorization').map(String),
    certificate: () => call.getAuthContext()?.sslPeerCertificate,
    // The library adds the port.
    address: () => call.getPeer().replace(/:\d+$/, ''),
  };
}

/** W3C Trace Context. */
function traceparentOf(metadata: Metadata): string | undefined {
  return metadata.get('traceparent')[0]?.toString();
}

function toStatus(error: unknown): Pick<StatusObject, 'code' | 'details'> {
  const { grpc: code, message: details } = mapError(inProtoSpelling(error));
  return { code, details };
}

/** Whether the caller or the service caused the error. */
function outcomeOf(error: unknown): Outcome {
  const { grpc: code } = mapError(error);
  return code === status.UNAVAILABLE || code === status.INTERNAL ? 'failed' : 'refused';
}

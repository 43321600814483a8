import type { PeerCertificate } from 'node:tls';
import {
  type handleBidiStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type sendUnaryData,
  type ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerUnaryCall,
  status,
  type StatusObject,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type { Outcome, RequestTimes } from '#infrastructure/telemetry/request-times.js';
import type { OpenSpan, Traces } from '#infrastructure/telemetry/traces.js';
import { inProtoSpelling, mapError } from '../shared/error-table.js';
import type { Caller, ServiceIdentity } from '../shared/service-identity.js';
import type { Each, GrpcDoor, StreamMethod, UnaryMethod } from './grpc-door.js';

type Role = GrpcDoor['role'];

/** The most messages of a stream that wait to be written while it already hands over the next one. */
const MAX_UNWRITTEN = 64;

/** Where the metadata of an admitted call has the caller's name. Only this process can set it. */
const IDENTITY = 'latchkey.identity';

/** A method that needs a service identity. */
interface Guarded {
  readonly name: string;
  /** Undefined: any role. */
  readonly role: Role | undefined;
}

/** What every gRPC call passes: service identity, timing, tracing, and the mapping of errors to a status. */
export class CallPipeline {
  /** By their paths. */
  private readonly guarded = new Map<string, Guarded>();

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
      this.guarded.set(`/${service}/${method[0]!.toUpperCase()}${method.slice(1)}`, { name, role: work.role ?? role });
      return [method, 'answer' in work ? this.unary(name, work) : this.stream(name, work)] as const;
    });
    return Object.fromEntries(implemented) as UntypedServiceImplementation;
  }

  /**
   * Refuses a caller without the service identity before any of the request is read: unfinished requests would take
   * memory. Calls of a library's services, such as reflection, need an identity of any role, unless they are open.
   */
  interceptor(isOpen: (path: string) => boolean): ServerInterceptor {
    return ({ path, responseStream }, call) => {
      if (!isOpen(path)) {
        if (responseStream) writeTogether(call);
        const { name, role } = this.guarded.get(path) ?? {
          name: path.slice(path.lastIndexOf('.') + 1),
          role: undefined,
        };
        const start = call.start.bind(call);
        call.start = (listener) => {
          const receive = listener.onReceiveMetadata.bind(listener);
          listener.onReceiveMetadata = (metadata) => {
            if (this.admits(call, { metadata, name, role })) receive(metadata);
          };
          start(listener);
        };
      }
      // A ServerInterceptingCall would delay every message of the call.
      return call as ServerInterceptingCall;
    };
  }

  private admits(call: ServerInterceptingCallInterface, { metadata, name, role }: Guarded & { metadata: Metadata }) {
    const begun = performance.now();
    try {
      metadata.setOpaque(IDENTITY, this.identity.require(role, callerOf(metadata, call), name));
      return true;
    } catch (error) {
      this.log.fault(error);
      call.sendStatus(toStatus(error));
      this.times.of(name).refused.observeSince(begun);
      return false;
    }
  }

  private unary<Request, Answer>(name: string, method: UnaryMethod<Request, Answer>): handleUnaryCall<Request, Answer> {
    const times = this.times.of(name);
    const { traces } = this;
    const serve = async (
      call: ServerUnaryCall<Request, Answer>,
      done: sendUnaryData<Answer>,
      span?: OpenSpan,
    ): Promise<void> => {
      const begun = method.arrivedAt?.(call.request) ?? performance.now();
      let outcome: Outcome = 'ok';
      try {
        done(null, await method.answer(call.request, call, identityIn(call.metadata)));
      } catch (error) {
        this.log.fault(error, { requestId: method.requestId?.(call.request) });
        outcome = outcomeOf(error);
        if (method.answerToError) done(null, method.answerToError());
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
    method: StreamMethod<Question, Answer>,
  ): handleBidiStreamingCall<Question, Answer> {
    const each = this.each(name);
    return (call) => {
      const fail = (error: unknown) => {
        this.log.fault(error);
        call.emit('error', toStatus(error));
      };
      try {
        method.converse(call, each, identityIn(call.metadata), fail);
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

/**
 * Lets a stream hand over messages while earlier ones wait to be written, so that Node writes several at once. By itself
 * the library waits for each message, which takes a turn of the event loop.
 */
function writeTogether(call: ServerInterceptingCallInterface): void {
  const send = call.sendMessage.bind(call);
  let unwritten = 0;
  let proceed: (() => void) | undefined;
  call.sendMessage = (message, done) => {
    unwritten += 1;
    send(message, () => {
      unwritten -= 1;
      const waiting = proceed;
      proceed = undefined;
      waiting?.();
    });
    if (unwritten < MAX_UNWRITTEN) done();
    else proceed = done;
  };
}

/** The part of a grpc-js server call that identifies the caller. */
interface IdentifiedCall {
  getPeer(): string;
  getAuthContext(): { sslPeerCertificate?: PeerCertificate | undefined } | null;
}

export function callerOf(metadata: Metadata, call: IdentifiedCall): Caller {
  return {
    authorization: metadata.get('authorization').map(String),
    certificate: () => call.getAuthContext()?.sslPeerCertificate,
    // The library adds the port.
    address: () => call.getPeer().replace(/:\d+$/, ''),
  };
}

/** The name of the caller that the interceptor admitted. */
function identityIn(metadata: Metadata): string {
  const identity = metadata.getOpaque(IDENTITY);
  if (typeof identity !== 'string') throw new Error('a call reached its method without a service identity');
  return identity;
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

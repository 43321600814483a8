import {
  type handleBidiStreamingCall,
  type handleUnaryCall,
  Metadata,
  type sendUnaryData,
  type ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerUnaryCall,
  status,
  type StatusObject,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { ServiceRole } from '#config/service-roles.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type { Outcome, RequestTimes } from '#infrastructure/telemetry/request-times.js';
import type { OpenSpan, Traces } from '#infrastructure/telemetry/traces.js';
import { inProtoSpelling, mapError } from '../shared/error-table.js';
import type { Caller, CallingService, ServiceIdentity } from '../shared/service-identity.js';
import type { Each, GrpcDoor, OpenStreams, StreamMethod, UnaryMethod } from './grpc-door.js';
import type { Arrived } from './protos.js';

/** The most messages of a stream that wait to be written while it already hands over the next one. */
const MAX_UNWRITTEN = 64;

/** Where the metadata of an admitted call has the caller. Only this process can set it. */
const IDENTITY = 'latchkey.identity';

export interface Guarded {
  readonly name: string;
  /** Undefined: any role. */
  readonly roles: readonly ServiceRole[] | undefined;
}

/** A unary call of any protocol. */
export interface IncomingCall<Answer> {
  /** The caller that the pipeline admitted. */
  readonly identity: CallingService;
  /** W3C Trace Context. */
  traceparent(): string | undefined;
  /** Whether the caller has left, or its deadline has passed. */
  isCancelled(): boolean;
  /** @param metadata goes out with the answer */
  succeed(answer: Answer, metadata?: Metadata): void;
  fail(error: unknown): void;
}

type Serve<Request, Answer> = (request: Request, call: IncomingCall<Answer>) => void;

export interface ServedMethod extends Guarded {
  readonly serve: Serve<never, unknown>;
}

/** What every call of a service passes: service identity, timing, tracing, and the handling of errors. */
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
  implement(door: GrpcDoor): UntypedServiceImplementation {
    const implemented = Object.entries(door.methods).map(([method, work]) => {
      const guarded = guardedBy(door, method);
      this.guarded.set(`/${door.service}/${method}`, guarded);
      return [
        method,
        'answer' in work ? overGrpc(this.unary(guarded, work)) : this.stream(guarded, work, door.streams),
      ] as const;
    });
    return Object.fromEntries(implemented) as UntypedServiceImplementation;
  }

  /** The unary methods of a door by name, for a server that does not use the gRPC library. */
  unaryMethods(door: GrpcDoor): ReadonlyMap<string, ServedMethod> {
    const unary = Object.entries(door.methods).flatMap(([method, work]) => {
      if (!('answer' in work)) return [];
      const guarded = guardedBy(door, method);
      return [[method, { ...guarded, serve: this.unary(guarded, work) }] as const];
    });
    return new Map(unary);
  }

  /**
   * Refuses a caller without the service identity before any of the request is read: unfinished requests would take
   * memory. Calls of a library's services, such as reflection, need an identity of any role, unless they are open.
   */
  interceptor(isOpen: (path: string) => boolean): ServerInterceptor {
    return ({ path, responseStream }, call) => {
      if (!isOpen(path)) {
        if (responseStream) writeTogether(call);
        const { name, roles } = this.guarded.get(path) ?? {
          name: path.slice(path.lastIndexOf('.') + 1),
          roles: undefined,
        };
        const start = call.start.bind(call);
        call.start = (listener) => {
          const receive = listener.onReceiveMetadata.bind(listener);
          listener.onReceiveMetadata = (metadata) => {
            try {
              metadata.setOpaque(IDENTITY, this.admit({ name, roles }, callerOf(metadata, call)));
            } catch (error) {
              return call.sendStatus(toStatus(error));
            }
            receive(metadata);
          };
          start(listener);
        };
      }
      // A ServerInterceptingCall would delay every message of the call.
      return call as ServerInterceptingCall;
    };
  }

  /** The caller. Throws for one without the service identity, which is then logged and counted. */
  admit({ name, roles }: Guarded, caller: Caller): CallingService {
    const begun = performance.now();
    try {
      return this.identity.require(roles, caller, name);
    } catch (error) {
      this.countUnread(name, error, begun);
      throw error;
    }
  }

  /** Logs and counts a call of which no request was read. @param begun by performance.now() */
  countUnread(name: string, error: unknown, begun: number): void {
    this.log.fault(error);
    this.times.of(name).refused.observeSince(begun);
  }

  private unary<Request, Answer>({ name }: Guarded, method: UnaryMethod<Request, Answer>): Serve<Request, Answer> {
    const times = this.times.of(name);
    const { traces } = this;
    const serve = async (request: Request, call: IncomingCall<Answer>, span?: OpenSpan): Promise<void> => {
      const begun = (request as Partial<Arrived>).arrivedAt ?? performance.now();
      let outcome: Outcome = 'ok';
      try {
        call.succeed(await method.answer(request, call.identity), method.metadata);
      } catch (error) {
        this.log.fault(error, { requestId: method.requestId?.(request) });
        outcome = outcomeOf(error);
        if (method.answerToError) call.succeed(method.answerToError());
        else call.fail(error);
      }
      if (call.isCancelled()) outcome = 'aborted';
      times[outcome].observeSince(begun);
      span?.end(outcome);
    };
    return (request, call) =>
      void (traces.isOn
        ? traces.serve(name, call.traceparent(), (span) => serve(request, call, span))
        : serve(request, call));
  }

  private stream<Question, Answer>(
    { name }: Guarded,
    method: StreamMethod<Question, Answer>,
    streams: OpenStreams | undefined,
  ): handleBidiStreamingCall<Question, Answer> {
    const each = this.each(name);
    return (call) => {
      streams?.add(call);
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
    const timed = async <T>(work: () => Promise<T>, begun: number, span?: OpenSpan): Promise<T> => {
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
    };
    return (work, begun = performance.now()) =>
      traces.isOn ? traces.serve(name, undefined, (span) => timed(work, begun, span)) : timed(work, begun);
  }
}

function guardedBy({ service, role, methods }: GrpcDoor, method: string): Guarded {
  const shortName = service.slice(service.lastIndexOf('.') + 1);
  return { name: `${shortName}/${method}`, roles: methods[method]!.roles ?? [role] };
}

function overGrpc<Request, Answer>(serve: Serve<Request, Answer>): handleUnaryCall<Request, Answer> {
  return (call, done) => serve(call.request, new GrpcCall(call, done));
}

/** A class, because an object of closures for each call makes validations measurably slower. */
class GrpcCall<Answer> implements IncomingCall<Answer> {
  constructor(
    private readonly call: ServerUnaryCall<unknown, Answer>,
    private readonly done: sendUnaryData<Answer>,
  ) {}

  get identity(): CallingService {
    return identityIn(this.call.metadata);
  }

  traceparent(): string | undefined {
    return this.call.metadata.get('traceparent')[0]?.toString();
  }

  isCancelled(): boolean {
    return this.call.cancelled;
  }

  succeed(answer: Answer, metadata?: Metadata): void {
    // Sent only now, so that metadata and answer travel in one packet.
    if (metadata) this.call.sendMetadata(metadata);
    this.done(null, answer);
  }

  fail(error: unknown): void {
    this.done(toStatus(error));
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

export function callerOf(
  metadata: Metadata,
  call: Pick<ServerInterceptingCallInterface, 'getPeer' | 'getAuthContext'>,
): Caller {
  return {
    authorization: metadata.get('authorization').map(String),
    certificate: () => call.getAuthContext().sslPeerCertificate,
    // The library adds the port.
    address: () => call.getPeer().replace(/:\d+$/, ''),
  };
}

function identityIn(metadata: Metadata): CallingService {
  const identity = metadata.getOpaque(IDENTITY);
  if (!identity) throw new Error('a call reached its method without a service identity');
  return identity as CallingService;
}

function toStatus(error: unknown): Pick<StatusObject, 'code' | 'details' | 'metadata'> {
  const { grpc: code, message: details } = mapError(inProtoSpelling(error));
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(codeOf(error))) metadata.set(name, value);
  return { code, details, metadata };
}

/** The error's code tells a program what status and text do not. As metadata of gRPC, and as headers of HTTP. */
export function codeOf(error: unknown): Readonly<Record<string, string>> {
  const keyId = error instanceof LatchkeyError ? error.details.apiKeyId : undefined;
  return { 'latchkey-code': mapError(error).code, ...(keyId !== undefined && { 'latchkey-key-id': keyId }) };
}

/** Whether the caller or the service caused the error. */
function outcomeOf(error: unknown): Outcome {
  const { grpc: code } = mapError(error);
  return code === status.UNAVAILABLE || code === status.INTERNAL ? 'failed' : 'refused';
}

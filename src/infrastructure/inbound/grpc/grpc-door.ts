import type { EventEmitter } from 'node:events';
import type { Metadata, ServerDuplexStream, ServiceDefinition } from '@grpc/grpc-js';
import type { Type } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { ServiceRole } from '#config/service-roles.js';
import type { Instrument } from '#infrastructure/telemetry/instrument.js';
import type { CallingService } from '../shared/service-identity.js';

/** `composition/doors.ts` registers a door, which is then served, described by reflection, timed and traced. */
export interface GrpcDoor {
  /** The full name with its package, such as `latchkey.v1.ApiKeyService`. */
  readonly service: string;
  /** The file under proto/ that describes the service. */
  readonly proto: string;
  /** With the codec of its messages. */
  readonly definition: ServiceDefinition;
  /** The role that a caller's service identity needs, unless a method has another one. */
  readonly role: ServiceRole;
  /** Read once, when the server opens. */
  readonly methods: Readonly<Record<string, GrpcMethod>>;
  /** For methods in Nest controllers, which Nest registers with the transport. */
  readonly nest?: { readonly controllers: readonly Type[]; readonly strategy: CustomTransportStrategy };
  instruments?(): readonly Instrument[];
  /** The open streams, if the service has any. The pipeline adds them, and they end when the server closes. */
  readonly streams?: OpenStreams;
}

type GrpcMethod = UnaryMethod<never, unknown> | StreamMethod<never, unknown>;

export interface UnaryMethod<Request, Answer> {
  /** Default: the role of the door. */
  readonly roles?: readonly ServiceRole[];
  answer(request: Request, service: CallingService): Promise<Answer>;
  /** Goes out with the answer: initial metadata over gRPC, headers over HTTP. */
  readonly metadata?: Metadata;
  /** The caller's id of the request, made safe for the log. */
  requestId?(request: Request): string | undefined;
  /** For protocols in which an error must be an answer. Callers without a valid identity still get a gRPC status. */
  answerToError?(): Answer;
}

export interface StreamMethod<Question, Answer> {
  /** Default: the role of the door. */
  readonly roles?: readonly ServiceRole[];
  /**
   * @param each times and traces the work on one question of the stream
   * @param fail ends the stream with the status of an error
   */
  converse(call: ServerDuplexStream<Question, Answer>, each: Each, service: CallingService, fail: Fail): void;
}

type Fail = (error: unknown) => void;

/** @param arrivedAt when the question was read from the connection, by performance.now(). Default: now */
export type Each = <T>(work: () => Promise<T>, arrivedAt?: number) => Promise<T>;

/** The open streams of a service, so that a shutdown can end them. */
export class OpenStreams {
  private readonly streams = new Set<EventEmitter>();

  add(stream: EventEmitter): void {
    this.streams.add(stream);
    const forget = () => this.streams.delete(stream);
    stream.once('close', forget).once('cancelled', forget).once('finish', forget);
  }

  get count(): number {
    return this.streams.size;
  }

  /** Every stream answers the questions that it has read, then ends. */
  drain(): void {
    for (const stream of this.streams) stream.emit('drain-requested');
  }
}

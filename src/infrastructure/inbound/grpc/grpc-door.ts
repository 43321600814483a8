import type { ServerDuplexStream, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import type { Type } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { ServiceRole } from '../../../config/service-roles.js';
import type { Instrument } from '../../telemetry/instrument.js';

/**
 * A gRPC service that we listen on. Registered in `composition/doors.ts`, it is served, described by reflection, watched by
 * health checks, guarded by its role, timed and traced.
 */
export interface GrpcDoor {
  /** With its package: `latchkey.v1.ApiKeyService`. */
  readonly service: string;
  /** The file under proto/ that describes it. */
  readonly proto: string;
  /** For a door with a codec of its own. Without it, messages are what the loader makes of `proto`. */
  readonly definition?: ServiceDefinition;
  /** What a caller's service identity must be allowed to do. */
  readonly role: ServiceRole;
  /** Read when the server opens. */
  readonly methods: Readonly<Record<string, GrpcMethod>>;
  /** For a door whose methods are those of Nest's controllers: the controllers, and what Nest hands their methods to. */
  readonly nest?: { readonly controllers: readonly Type[]; readonly strategy: CustomTransportStrategy };
  instruments?(): readonly Instrument[];
  /** Asks streams that are open to come to an end. */
  drain?(): void;
}

type GrpcMethod = UnaryMethod<never, unknown> | StreamMethod<never, unknown>;

export interface UnaryMethod<Request, Answer> {
  /** @param identity the name of the service that calls */
  answer(request: Request, call: ServerUnaryCall<Request, Answer>, identity: string): Promise<Answer>;
  /** When the request was read off the wire, by performance.now(). Without it, a call's time begins when it is served. */
  arrivedAt?(request: Request): number;
  /** What the caller calls the request, fit for the log. */
  requestId?(request: Request): string | undefined;
  /** For protocols in which an error must be an answer too. Callers without an identity get a gRPC status all the same. */
  answerToError?(): Answer;
}

export interface StreamMethod<Question, Answer> {
  /**
   * @param each times and traces the work on one question of the stream
   * @param identity the name of the service that calls
   */
  converse(call: ServerDuplexStream<Question, Answer>, each: Each, identity: string): void;
}

/** @param arrivedAt when the question was read off the wire, by performance.now(); now unless given */
export type Each = <T>(work: () => Promise<T>, arrivedAt?: number) => Promise<T>;

import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerOptions,
  type ServerUnaryCall,
  type StatusObject,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { Lease } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Lease.js';
import type { KeyUses__Output as KeyUses } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/KeyUses.js';
import type { ReportUsesRequest__Output as Report } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ReportUsesRequest.js';
import type { ValidateKeyRequest__Output as ValidationRequest } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { loadContract } from '../grpc/connector.js';
import type { Guard } from '../guard.js';
import { granted } from './answers.js';
import { eventually } from './eventually.js';

type Call = ServerUnaryCall<ValidationRequest, ValidateKeyResponse>;
type Stream = ServerDuplexStream<ValidationRequest, ValidateKeyResponse>;
type Reply = sendUnaryData<ValidateKeyResponse>;

/** A gRPC server that implements the contract and answers as its script says. */
export class ScriptedLatchkey {
  readonly questions: ValidationRequest[] = [];
  readonly identities: unknown[] = [];
  /** What guards reported of their leases. */
  readonly reports: KeyUses[][] = [];
  window: string | undefined = '5';
  script: (request: ValidationRequest, reply: Reply) => void = (_, reply) => reply(null, {});
  /** Replaces the script on streams, so that each stream can behave like another instance. */
  answersByStream: ((stream: Stream, reply: Reply) => void) | undefined;
  /** The streams that are open. */
  readonly streams = new Set<Stream>();
  /** How often a stream was opened, including refused ones. */
  streamsOpened = 0;
  leasesGiven = 0;
  /** Questions that came as unary calls. */
  unaryQuestions = 0;
  /** The status with which all calls are refused, if any. */
  refusal: Pick<StatusObject, 'code' | 'details'> | undefined;
  port = 0;
  private server: Server | undefined;

  get target(): string {
    return `127.0.0.1:${this.port}`;
  }

  /**
   * For `createGuard`. A deadline that no machine reaches, and no pings: on a busy machine the test's process may stall
   * for longer than a guard waits for one.
   */
  get options() {
    return { target: this.target, deadlineMs: 120_000, channelOptions: { 'grpc.keepalive_time_ms': 600_000 } };
  }

  /** Listens on a free port; after a stop, on the same port again. */
  async start(credentials = ServerCredentials.createInsecure(), options: ServerOptions = {}): Promise<void> {
    const server = new Server(options);
    server.addService(loadContract().ApiKeyService.service, {
      ValidateKey: (call: Call, reply: Reply) => this.answer(call, reply),
      ValidateKeys: (stream: Stream) => this.answerStream(stream),
      ReportUses: ({ request }: ServerUnaryCall<Report, object>, reply: sendUnaryData<object>) => {
        this.reports.push(request.uses);
        reply(null, {});
      },
    });
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(this.target, credentials, (error, port) => (error ? reject(error) : resolve(port)));
    });
    this.server = server;
  }

  /** Cuts every connection, like a crash. */
  stop(): void {
    this.server?.forceShutdown();
  }

  answers(response: ValidateKeyResponse): void {
    this.script = (_, reply) => reply(null, response);
  }

  /** Grants, and gives leases of this kind to those that wish for one. */
  leases(lease: Lease, response: ValidateKeyResponse): void {
    this.script = ({ leaseWish }, reply) => {
      this.leasesGiven += leaseWish ? 1 : 0;
      reply(null, leaseWish ? { ...response, lease } : response);
    };
  }

  hangs(): void {
    this.script = () => undefined;
  }

  /**
   * Waits until a guard uses two streams. The service may know about a stream before the guard does, which sends requests
   * by themselves until then, as it does if both streams carry the same request id.
   */
  async hasStreamsOf(guard: Pick<Guard, 'check'>): Promise<void> {
    const { script, answersByStream } = this;
    this.answers(granted());
    this.answersByStream = undefined;
    const question = { authorization: ['Bearer k'], method: 'GET', requestId: 'same' };
    await eventually(async () => {
      this.unaryQuestions = 0;
      await Promise.all([guard.check(question), guard.check(question)]);
      return this.unaryQuestions === 0 && this.streams.size === 2;
    });
    this.questions.length = 0;
    Object.assign(this, { script, answersByStream });
  }

  /** Stops reading every stream and ends it, as the service does before it stops. */
  endStreams(): void {
    for (const stream of this.streams) {
      stream.removeAllListeners('data').end();
      this.streams.delete(stream);
    }
  }

  private answer(call: Call, reply: Reply): void {
    this.unaryQuestions += 1;
    this.identities.push(call.metadata.get('authorization')[0]);
    if (this.window !== undefined) call.sendMetadata(this.initialMetadata());
    this.questions.push(call.request);
    const { requestId } = call.request;
    const answer: Reply = (error, response) => reply(error, response && { requestId, ...response });
    if (this.refusal) reply(this.refusal);
    else this.script(call.request, answer);
  }

  private answerStream(stream: Stream): void {
    this.streamsOpened += 1;
    this.identities.push(stream.metadata.get('authorization')[0]);
    if (this.refusal) {
      stream.emit('error', this.refusal);
      return;
    }
    stream.sendMetadata(this.initialMetadata());
    this.streams.add(stream);
    const forget = () => this.streams.delete(stream);
    stream.once('cancelled', forget).once('close', forget);
    let open = 0;
    let hasEnded = false;
    const endOnceAnswered = () => hasEnded && open === 0 && stream.end();
    stream.on('data', (request: ValidationRequest) => {
      this.questions.push(request);
      open += 1;
      const reply: Reply = (error, response) => {
        open -= 1;
        const outcome = error
          ? { failure: { code: error.code ?? status.UNKNOWN, message: error.details ?? '' } }
          : response;
        if (!stream.cancelled && !stream.writableEnded) stream.write({ ...outcome, requestId: request.requestId });
        endOnceAnswered();
      };
      if (this.answersByStream) this.answersByStream(stream, reply);
      else this.script(request, reply);
    });
    stream.on('end', () => {
      hasEnded = true;
      endOnceAnswered();
    });
  }

  private initialMetadata(): Metadata {
    const metadata = new Metadata();
    if (this.window !== undefined) metadata.set('latchkey-ratelimit-window', this.window);
    return metadata;
  }
}

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
import type { Lease } from '../generated/latchkey/v1/Lease.js';
import type { KeyUses__Output as KeyUses } from '../generated/latchkey/v1/KeyUses.js';
import type { ReportUsesRequest__Output as Report } from '../generated/latchkey/v1/ReportUsesRequest.js';
import type { ValidateKeyRequest__Output as ValidationRequest } from '../generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import { loadContract } from '../grpc/load-contract.js';

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
  /** The status with which streams are refused, if any. */
  streamRefusal: Pick<StatusObject, 'code' | 'details'> | undefined;
  port = 0;
  private server: Server | undefined;

  get target(): string {
    return `127.0.0.1:${this.port}`;
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
    this.script(call.request, reply);
  }

  private answerStream(stream: Stream): void {
    this.streamsOpened += 1;
    this.identities.push(stream.metadata.get('authorization')[0]);
    if (this.streamRefusal) {
      stream.emit('error', this.streamRefusal);
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

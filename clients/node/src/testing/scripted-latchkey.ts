import { Metadata, Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import type { ValidateKeyRequest__Output as Asked } from '../generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import { loadContract } from '../grpc/proto.js';

type Call = ServerUnaryCall<Asked, ValidateKeyResponse>;
type Reply = sendUnaryData<ValidateKeyResponse>;

/** A gRPC server that speaks the contract and answers as its script says. */
export class ScriptedLatchkey {
  readonly questions: Asked[] = [];
  readonly identities: unknown[] = [];
  window: string | undefined = '5';
  script: (asked: Asked, reply: Reply) => void = (_, reply) => reply(null, {});
  port = 0;
  private server: Server | undefined;

  get target(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Listens on a free port, and after a stop on the same one again. */
  async start(credentials = ServerCredentials.createInsecure()): Promise<void> {
    const server = new Server();
    server.addService(loadContract().ApiKeyService.service, {
      ValidateKey: (call: Call, reply: Reply) => this.answer(call, reply),
      ValidateKeys: () => undefined,
    });
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(this.target, credentials, (error, port) => (error ? reject(error) : resolve(port)));
    });
    this.server = server;
  }

  /** Cuts every connection, as a crash does. */
  stop(): void {
    this.server?.forceShutdown();
  }

  answers(response: ValidateKeyResponse): void {
    this.script = (_, reply) => reply(null, response);
  }

  hangs(): void {
    this.script = () => undefined;
  }

  private answer(call: Call, reply: Reply): void {
    this.questions.push(call.request);
    this.identities.push(call.metadata.get('authorization')[0]);
    if (this.window !== undefined) {
      const metadata = new Metadata();
      metadata.set('latchkey-ratelimit-window', this.window);
      call.sendMetadata(metadata);
    }
    this.script(call.request, reply);
  }
}

import type { handleBidiStreamingCall, Server, ServerDuplexStream, ServiceDefinition } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

type Answer = handleBidiStreamingCall<unknown, unknown>;
type Conversation = ServerDuplexStream<unknown, unknown>;

/** Describes the services. The pipeline admits only callers with a service identity. */
export function serveReflection(server: Server, described: PackageDefinition): void {
  const addService = (service: ServiceDefinition, { ServerReflectionInfo: answer }: Record<string, Answer>) =>
    server.addService(service, {
      ServerReflectionInfo: (call: Conversation) => {
        answer!(call);
        readWhatIsSent(call);
      },
    });
  new ReflectionService(described).addToServer({ addService } as unknown as Server);
}

/** Reads no further while the answers wait: they are larger than the requests, and the library reads on. */
function readWhatIsSent(call: Conversation): void {
  call.on('drain', () => call.resume());
  call.on('data', () => {
    if (call.writableNeedDrain) call.pause();
  });
}

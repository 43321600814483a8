import { createServer, type Server as Listener, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import {
  type handleBidiStreamingCall,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Config } from '#config/config.js';
import type { Instrument } from '#infrastructure/telemetry/instrument.js';
import { listen, shutDown } from '../shared/listening.js';
import type { CallPipeline } from './call-pipeline.js';
import { CHANNEL_OPTIONS } from './channel-options.js';
import type { GrpcCertificates } from './grpc-certificates.js';
import type { GrpcDoor } from './grpc-door.js';
import { type GrpcHealth, HEALTH_PATH } from './grpc-health.js';
import { PROTO_OPTIONS } from './protos.js';

/** A client that has sent less has not begun: both the preface of HTTP/2 and a TLS handshake are longer. */
const SHORTEST_BEGINNING_BYTES = 24;

export class GrpcServer {
  private readonly server: Server;
  /**
   * Our own, because grpc-js can't end its connections: neither silent ones nor, without channelz, any other. And it
   * has no stable way to renew a certificate.
   */
  private readonly listener: Listener;
  private readonly sockets = new Set<Socket>();

  constructor(
    private readonly config: Pick<Config, 'host' | 'grpcPort'>,
    private readonly doors: readonly GrpcDoor[],
    private readonly pipeline: CallPipeline,
    private readonly health: GrpcHealth,
    private readonly certificates: GrpcCertificates | undefined,
  ) {
    this.listener = certificates ? overTls(certificates) : createServer();
    const interceptors = [pipeline.interceptor((path) => path.startsWith(HEALTH_PATH))];
    this.server = new Server({ ...CHANNEL_OPTIONS, interceptors });
  }

  async open(): Promise<void> {
    const { server, doors, config } = this;
    this.health.serve(server, doors);
    serveReflection(server, doors);
    for (const door of doors) server.addService(door.definition, this.pipeline.implement(door));
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.listener.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.listener.on(this.certificates ? 'secureConnection' : 'connection', (socket: Socket) =>
      injector.injectConnection(socket.on('error', () => undefined)),
    );
    const { host, grpcPort } = config;
    await listen(this.listener, 'GRPC_PORT', grpcPort, host);
  }

  instruments(): readonly Instrument[] {
    return this.doors.flatMap((door) => door.instruments?.() ?? []);
  }

  /** Answers calls in progress. Streams end first. A connection without calls is closed right after GOAWAY. */
  close(): Promise<void> {
    this.certificates?.close();
    for (const door of this.doors) door.streams?.drain();
    this.health.drain();
    const close = (done: () => void) => {
      // grpc-js does not wait for connections that it did not accept itself.
      this.listener.close(() => done());
      this.server.tryShutdown(() => undefined);
      for (const socket of this.sockets) if (socket.bytesRead < SHORTEST_BEGINNING_BYTES) socket.destroy();
    };
    return shutDown(close, () => {
      for (const socket of this.sockets) socket.destroy();
    });
  }
}

function overTls(certificates: GrpcCertificates): Listener {
  const listener = createTlsServer({ ...certificates.options, ALPNProtocols: ['h2'] });
  certificates.renewFor(listener);
  return listener;
}

type Answer = handleBidiStreamingCall<unknown, unknown>;
type Conversation = ServerDuplexStream<unknown, unknown>;

/** Describes the services. The pipeline admits only callers with a service identity. */
function serveReflection(server: Server, doors: readonly GrpcDoor[]): void {
  const described = loadSync([...new Set(doors.map(({ proto }) => proto))], PROTO_OPTIONS);
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

import { createServer, type Server as Listener, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import {
  type handleBidiStreamingCall,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Config } from '#config/config.js';
import type { Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { cannotListen, shutDown } from '../shared/listening.js';
import type { CallPipeline } from './call-pipeline.js';
import { CHANNEL_OPTIONS } from './channel-options.js';
import { GrpcCertificates } from './grpc-certificates.js';
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
  private readonly certificates: GrpcCertificates | undefined;

  constructor(
    private readonly config: Pick<Config, 'host' | 'grpcPort' | 'grpcTls'>,
    private readonly doors: readonly GrpcDoor[],
    private readonly pipeline: CallPipeline,
    private readonly health: GrpcHealth,
    log: Log,
  ) {
    const { grpcTls } = config;
    this.certificates = grpcTls && new GrpcCertificates(grpcTls, log);
    this.listener = this.certificates ? overTls(this.certificates) : createServer();
    const interceptors = [pipeline.interceptor((path) => path.startsWith(HEALTH_PATH))];
    this.server = new Server({ ...CHANNEL_OPTIONS, interceptors });
  }

  /** @throws the port is taken */
  async open(): Promise<void> {
    const { server, doors, config } = this;
    this.health.serve(server, doors);
    const described = loadSync([...new Set(doors.map(({ proto }) => proto))], PROTO_OPTIONS);
    serveReflection(server, described);
    for (const door of doors) {
      const definition = door.definition ?? (described[door.service] as ServiceDefinition);
      server.addService(definition, this.pipeline.implement(door));
    }
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.listener.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.listener.on(this.certificates ? 'secureConnection' : 'connection', (socket: Socket) =>
      injector.injectConnection(socket.on('error', () => undefined)),
    );
    const { host, grpcPort } = config;
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error) => reject(cannotListen(error, 'GRPC_PORT', grpcPort, host));
      this.listener.once('error', refuse).listen(grpcPort, host, resolve);
    });
  }

  instruments(): readonly Instrument[] {
    return this.doors.flatMap((door) => door.instruments?.() ?? []);
  }

  /** Answers calls in progress. Streams end first. A connection without calls is closed right after GOAWAY. */
  close(): Promise<void> {
    this.certificates?.close();
    for (const door of this.doors) door.drain?.();
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

/** Client certificates are optional. */
function overTls(certificates: GrpcCertificates): Listener {
  const { current } = certificates;
  const requestCert = current.ca !== undefined;
  const listener = createTlsServer({ ...current, ALPNProtocols: ['h2'], requestCert, rejectUnauthorized: false });
  certificates.onRenewed = (renewed) => listener.setSecureContext(renewed);
  return listener;
}

type Answer = handleBidiStreamingCall<unknown, unknown>;
type Conversation = ServerDuplexStream<unknown, unknown>;

/** Describes the services. The pipeline admits only callers with a service identity. */
function serveReflection(server: Server, described: PackageDefinition): void {
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

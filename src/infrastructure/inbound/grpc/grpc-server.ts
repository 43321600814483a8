import { experimental, Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { createServer, type Socket } from 'node:net';
import type { Config } from '../../../config/config.js';
import type { Instrument } from '../../telemetry/instrument.js';
import type { Log } from '../../telemetry/log.js';
import { cannotListen } from '../shared/listening.js';
import { shutDown } from '../shared/shut-down.js';
import type { CallPipeline } from './call-pipeline.js';
import { CHANNEL_OPTIONS } from './channel-options.js';
import { GrpcCertificates } from './grpc-certificates.js';
import type { GrpcDoor } from './grpc-door.js';
import { type GrpcHealth, HEALTH_PATH } from './grpc-health.js';
import { serveReflection } from './grpc-reflection.js';
import { PROTO_OPTIONS } from './protos.js';

/** A client that has sent less has not begun: both the preface of HTTP/2 and a TLS handshake are longer. */
const SHORTEST_BEGINNING_BYTES = 24;

export class GrpcServer {
  private readonly server: Server;
  /** Our own, because grpc-js can't end its connections: neither silent ones nor, without channelz, any other. */
  private readonly listener = createServer();
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
    const injector = server.createConnectionInjector(this.credentials());
    this.listener.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      injector.injectConnection(socket);
    });
    const { host, grpcPort } = config;
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error) => reject(cannotListen(error, 'GRPC_PORT', grpcPort, host));
      this.listener.once('error', refuse).listen(grpcPort, host, resolve);
    });
  }

  instruments(): readonly Instrument[] {
    return this.doors.flatMap((door) => door.instruments?.() ?? []);
  }

  /** Client certificates are optional. */
  private credentials(): ServerCredentials {
    const { certificates, config } = this;
    if (!certificates) return ServerCredentials.createInsecure();
    const authority = config.grpcTls?.clientCaFile === undefined ? null : certificates;
    return experimental.createCertificateProviderServerCredentials(certificates, authority, false);
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

import { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { loadSync } from '@grpc/proto-loader';
import type { Config } from '../../../config/config.js';
import { urlHost } from '../../../config/network-config.js';
import type { Instrument } from '../../telemetry/instrument.js';
import { shutDown } from '../shared/shut-down.js';
import type { CallPipeline } from './call-pipeline.js';
import type { GrpcDoor } from './grpc-door.js';
import type { GrpcHealth } from './grpc-health.js';
import { PROTO_OPTIONS } from './protos.js';
import { serverCredentials } from './server-credentials.js';

const MINUTE_MS = 60_000;

const OPTIONS = {
  'grpc.max_receive_message_length': 64 * 1024,
  'grpc.max_concurrent_streams': 1000,
  // Counts for a debugging service that we do not offer, on every call.
  'grpc.enable_channelz': 0,
  // Clients move on now and then, so that load finds new instances and no stream lives forever.
  'grpc.max_connection_age_ms': 60 * MINUTE_MS,
  'grpc.max_connection_age_grace_ms': MINUTE_MS / 2,
  'grpc.keepalive_time_ms': MINUTE_MS,
  'grpc.keepalive_timeout_ms': MINUTE_MS / 3,
};

/** The one gRPC server, with a service for each door. */
export class GrpcServer {
  private readonly server = new Server(OPTIONS);

  constructor(
    private readonly config: Pick<Config, 'host' | 'grpcPort' | 'grpcTls'>,
    private readonly doors: readonly GrpcDoor[],
    private readonly pipeline: CallPipeline,
    private readonly health: GrpcHealth,
  ) {}

  /** Listens. Throws when the port is taken. */
  async open(): Promise<void> {
    const { server, doors, config } = this;
    this.health.serve(server, doors);
    const described = loadSync([...new Set(doors.map(({ proto }) => proto))], PROTO_OPTIONS);
    new ReflectionService(described).addToServer(server);
    for (const door of doors) server.addService(door.definition, this.pipeline.implement(door));
    const credentials = await serverCredentials(config.grpcTls);
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`${urlHost(config.host)}:${config.grpcPort}`, credentials, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  instruments(): readonly Instrument[] {
    return this.doors.flatMap((door) => door.instruments?.() ?? []);
  }

  /** Answers what is under way. Streams are asked to end first. */
  close(): Promise<void> {
    for (const door of this.doors) door.drain?.();
    return shutDown(
      (done) => this.server.tryShutdown(done),
      () => this.server.forceShutdown(),
    );
  }
}

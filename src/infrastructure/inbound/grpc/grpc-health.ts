import type { Server, ServerWritableStream } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { GrpcDoor } from './grpc-door.js';

type Watch = ServerWritableStream<unknown, unknown>;

/** grpc.health.v1: reports whether the server, and each of its services, is ready. */
export class GrpcHealth {
  private readonly implementation = new HealthImplementation();
  /** The empty name stands for the server as a whole. */
  private readonly services = new Set(['']);
  private readonly watches = new Set<Watch>();
  private isReady = false;

  serve(server: Server, doors: readonly GrpcDoor[]): void {
    for (const { service } of doors) this.services.add(service);
    this.set(this.isReady);
    this.implementation.addToServer({
      addService: (service, methods) => {
        const watch = (call: Watch) => {
          this.watches.add(call);
          call.once('cancelled', () => this.watches.delete(call));
          (methods['watch'] as (call: Watch) => void)(call);
        };
        server.addService(service, { ...methods, watch });
      },
    });
  }

  set(isReady: boolean): void {
    this.isReady = isReady;
    for (const service of this.services) this.implementation.setStatus(service, isReady ? 'SERVING' : 'NOT_SERVING');
  }

  /** Ends the calls of clients that watch, which would stay open for ever. */
  drain(): void {
    for (const watch of this.watches) watch.end();
    this.watches.clear();
  }
}

import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { GrpcDoor } from './grpc-door.js';

/** grpc.health.v1: reports whether the server, and each of its services, is ready. */
export class GrpcHealth {
  private readonly implementation = new HealthImplementation();
  /** The empty name stands for the server as a whole. */
  private readonly services = new Set(['']);
  private isReady = false;

  serve(server: Server, doors: readonly GrpcDoor[]): void {
    for (const { service } of doors) this.services.add(service);
    this.set(this.isReady);
    this.implementation.addToServer(server);
  }

  set(isReady: boolean): void {
    this.isReady = isReady;
    for (const service of this.services) this.implementation.setStatus(service, isReady ? 'SERVING' : 'NOT_SERVING');
  }
}

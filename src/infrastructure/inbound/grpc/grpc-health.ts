import {
  type sendUnaryData,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
  type StatusObject,
} from '@grpc/grpc-js';
import { service as HEALTH } from 'grpc-health-check';
import type { GrpcDoor } from './grpc-door.js';

interface Asked {
  readonly service: string;
}
interface Health {
  readonly status: 'SERVING' | 'NOT_SERVING';
}
type Watch = ServerWritableStream<Asked, Health>;

/** How the paths of its calls begin. */
export const HEALTH_PATH = '/grpc.health.v1.Health/';

/** Anybody may watch, so both the connections' watches and all of them are bounded. */
const MAX_WATCHES = { ofConnection: 10, inAll: 1000 };

/** grpc.health.v1: reports whether the server, and each of its services, is ready. Needs no service identity. */
export class GrpcHealth {
  /** The empty name stands for the server as a whole. */
  private readonly services = new Set(['']);
  private readonly watches = new Set<Watch>();
  private isReady = false;

  serve(server: Server, doors: readonly GrpcDoor[]): void {
    for (const { service } of doors) this.services.add(service);
    server.addService(HEALTH, {
      check: ({ request }: ServerUnaryCall<Asked, Health>, done: sendUnaryData<Health>) =>
        this.services.has(request.service) ? done(null, this.health) : done(UNKNOWN_SERVICE),
      list: (_: unknown, done: sendUnaryData<{ statuses: Record<string, Health> }>) =>
        done(null, { statuses: Object.fromEntries([...this.services].map((service) => [service, this.health])) }),
      watch: (call: Watch) => this.watch(call),
    });
  }

  set(isReady: boolean): void {
    if (isReady === this.isReady) return;
    this.isReady = isReady;
    for (const watch of this.watches) this.report(watch);
  }

  /** Ends the calls of clients that watch, which would stay open for ever. */
  drain(): void {
    for (const watch of this.watches) watch.end();
    this.watches.clear();
  }

  private get health(): Health {
    return { status: this.isReady ? 'SERVING' : 'NOT_SERVING' };
  }

  private watch(call: Watch): void {
    if (!this.services.has(call.request.service)) return void call.emit('error', UNKNOWN_SERVICE);
    const connection = call.getPeer();
    const ofConnection = [...this.watches].filter((watch) => watch.getPeer() === connection).length;
    if (ofConnection >= MAX_WATCHES.ofConnection || this.watches.size >= MAX_WATCHES.inAll) {
      return void call.emit('error', TOO_MANY_WATCHES);
    }
    this.watches.add(call);
    call.once('cancelled', () => this.watches.delete(call));
    this.report(call);
  }

  /** Ends the watch of a client that does not read, for which reports would pile up. */
  private report(watch: Watch): void {
    if (watch.write(this.health)) return;
    this.watches.delete(watch);
    watch.emit('error', DOES_NOT_READ);
  }
}

type Failure = Pick<StatusObject, 'code' | 'details'>;
const UNKNOWN_SERVICE: Failure = { code: status.NOT_FOUND, details: 'This server has no such service' };
const TOO_MANY_WATCHES: Failure = {
  code: status.RESOURCE_EXHAUSTED,
  details: `Too many watches: at most ${MAX_WATCHES.ofConnection} on a connection and ${MAX_WATCHES.inAll} in all. Call Check instead`,
};
const DOES_NOT_READ: Failure = { code: status.RESOURCE_EXHAUSTED, details: 'The client does not read what it watches' };

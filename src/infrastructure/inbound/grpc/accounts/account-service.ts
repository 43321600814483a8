import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { type Actor, NO_CLIENT } from '#domain/audit/audit-event.js';
import { type GrpcDoor, OpenStreams, type StreamMethod, type UnaryMethod } from '../grpc-door.js';
import type { ImportKeys } from '#application/keys/import-keys.js';
import { AccountController } from './account.controller.js';
import { type ImportCall, importStream } from './import-stream.js';

/**
 * `latchkey.v1.AccountService`. Nest registers the methods of `account.controller.ts` with this transport, which adds
 * them to the gRPC server, next to the services that do not use Nest.
 */
export class AccountService extends Server implements CustomTransportStrategy, GrpcDoor {
  readonly service = 'latchkey.v1.AccountService';
  readonly proto = 'latchkey/v1/account_service.proto';
  readonly role = 'accounts';
  readonly nest = { controllers: [AccountController], strategy: this };

  private readonly streams = new OpenStreams();

  constructor(private readonly importKeys: ImportKeys) {
    super();
  }

  get methods(): GrpcDoor['methods'] {
    const methods = [...this.messageHandlers].map(([name, handler]) => [name, this.toMethod(handler)] as const);
    return { ...Object.fromEntries(methods), ImportKeys: this.importing() };
  }

  listen(callback: () => void): void {
    // The gRPC server listens for all services.
    callback();
  }

  close(): void {
    // The gRPC server closes all services.
  }

  on(): void {
    // This transport has no events.
  }

  unwrap<T>(): T {
    return this as unknown as T;
  }

  drain(): void {
    this.streams.drain();
  }

  /** Has a role of its own, because it makes keys that work. Streams are not Nest's. */
  private importing(): StreamMethod<never, unknown> {
    return {
      role: 'importer',
      converse: (call: ImportCall, each, identity, fail) => {
        this.streams.add(call);
        importStream(call, { importKeys: this.importKeys, each, actor: platform(identity) }).catch(fail);
      },
    };
  }

  private toMethod(handler: MessageHandler): UnaryMethod<unknown, unknown> {
    return {
      answer: async (request, _call, identity) =>
        lastValueFrom(this.transformToObservable(await handler(request, platform(identity)))),
    };
  }
}

/** The longest actor id. The name in a certificate may be longer; it is then cut off. */
const MAX_CHARACTERS = 128;

/** The platform as the audit trail names it. Its address is not recorded, because it is not a client's address. */
function platform(identity: string): Actor {
  return { actorId: `service:${identity}`.slice(0, MAX_CHARACTERS), actorKind: 'service', client: NO_CLIENT };
}

import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { type Actor, NO_CLIENT } from '../../../../domain/audit/audit-event.js';
import type { GrpcDoor, UnaryMethod } from '../grpc-door.js';
import { AccountController } from './account.controller.js';

/**
 * `latchkey.v1.AccountService`. Nest registers the methods of `account.controller.ts` with this transport, which adds
 * them to the gRPC server, next to the services that do not use Nest.
 */
export class AccountService extends Server implements CustomTransportStrategy, GrpcDoor {
  readonly service = 'latchkey.v1.AccountService';
  readonly proto = 'latchkey/v1/account_service.proto';
  readonly role = 'accounts';
  readonly nest = { controllers: [AccountController], strategy: this };

  get methods(): Record<string, UnaryMethod<unknown, unknown>> {
    const methods = [...this.messageHandlers].map(([name, handler]) => [name, this.toMethod(handler)] as const);
    return Object.fromEntries(methods);
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

  private toMethod(handler: MessageHandler): UnaryMethod<unknown, unknown> {
    return {
      answer: async (request, _call, identity) =>
        lastValueFrom(this.transformToObservable(await handler(request, platform(identity)))),
    };
  }
}

/** The longest actor id. The name in a certificate may be longer; it is then cut off. */
const MOST_CHARACTERS = 128;

/** The platform as the audit trail names it. Its address is not recorded, because it is not a client's address. */
function platform(identity: string): Actor {
  return { actorId: `service:${identity}`.slice(0, MOST_CHARACTERS), client: NO_CLIENT };
}

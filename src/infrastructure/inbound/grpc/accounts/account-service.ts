import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { type Actor, NO_CLIENT } from '../../../../domain/audit/audit-event.js';
import type { GrpcDoor, UnaryMethod } from '../grpc-door.js';
import { AccountController } from './account.controller.js';

/**
 * `latchkey.v1.AccountService`, whose methods Nest serves (`account.controller.ts`). To Nest it is a transport: Nest hands
 * the controller's methods to it, and it hands them to the one gRPC server, beside the services that Nest knows nothing of.
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
    // The gRPC server listens, for all its services together.
    callback();
  }

  close(): void {
    // The gRPC server closes, with all its services.
  }

  on(): void {
    // It has no events.
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

/** The names of certificates may be longer. */
const MOST_CHARACTERS = 128;

/** The platform as the record names it. Its own address is not that of a client. */
function platform(identity: string): Actor {
  return { actorId: `service:${identity}`.slice(0, MOST_CHARACTERS), client: NO_CLIENT };
}

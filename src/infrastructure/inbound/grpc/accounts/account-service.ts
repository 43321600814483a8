import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { loadSync } from '@grpc/proto-loader';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { lastValueFrom } from 'rxjs';
import { type Actor, NO_CLIENT } from '#domain/audit/audit-event.js';
import { type GrpcDoor, OpenStreams, type StreamMethod, type UnaryMethod } from '../grpc-door.js';
import { PROTO_OPTIONS } from '../protos.js';
import type { ServiceRole } from '#config/service-roles.js';
import type { CallingService } from '../../shared/service-identity.js';
import type { ImportKeys } from '#application/keys/import-keys.js';
import { AccountController, type PlatformCall } from './account.controller.js';
import { type ImportCall, importStream } from './import-stream.js';

/**
 * `latchkey.v1.AccountService`. Nest registers the methods of `account.controller.ts` with this transport, which adds
 * them to the gRPC server, next to the services that do not use Nest.
 */
export class AccountService extends Server implements CustomTransportStrategy, GrpcDoor {
  readonly service = 'latchkey.v1.AccountService';
  readonly proto = 'latchkey/v1/account_service.proto';
  readonly definition = loadSync(this.proto, PROTO_OPTIONS)[this.service] as ServiceDefinition;
  readonly role = 'accounts';
  readonly nest = { controllers: [AccountController], strategy: this };

  readonly streams = new OpenStreams();

  constructor(private readonly importKeys: ImportKeys) {
    super();
  }

  get methods(): GrpcDoor['methods'] {
    const methods = [...this.messageHandlers].map(([name, handler]) => [name, this.toMethod(name, handler)] as const);
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

  /** Has a role of its own, because it makes keys that work. Streams are not Nest's. */
  private importing(): StreamMethod<never, unknown> {
    return {
      roles: ['importer'],
      converse: (call: ImportCall, each, service, fail) => {
        importStream(call, { importKeys: this.importKeys, each, actor: platform(service) }).catch(fail);
      },
    };
  }

  private toMethod(name: string, handler: MessageHandler): UnaryMethod<unknown, unknown> {
    const roles = Object.hasOwn(ROLES, name) ? { roles: ROLES[name]! } : {};
    return {
      ...roles,
      answer: async (request, service) => {
        const call: PlatformCall<unknown> = { request, actor: platform(service), service };
        return lastValueFrom(this.transformToObservable(await handler(call)));
      },
    };
  }
}

/** Of the methods that are not for the role `accounts` alone. */
const ROLES: Readonly<Record<string, readonly ServiceRole[]>> = {
  CreateKey: ['issuer'],
  RotateKey: ['issuer'],
  RevokeKeys: ['accounts', 'issuer'],
};

/** The longest actor id. The name in a certificate may be longer; it is then cut off. */
const MAX_CHARACTERS = 128;

/** The platform as the audit trail names it. Its address is not recorded, because it is not a client's address. */
function platform({ name }: CallingService): Actor {
  return { actorId: `service:${name}`.slice(0, MAX_CHARACTERS), actorKind: 'service', client: NO_CLIENT };
}

import type { Issuer } from '#application/keys/keys-from-code.js';
import type { SharedUseCases } from '#application/shared-use-cases.js';
import type { ServiceRole } from '#config/service-roles.js';
import { type Actor, NO_CLIENT } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { CallingService } from '../../shared/service-identity.js';
import type * as proto from '../generated/types.js';
import { type GrpcDoor, OpenStreams, type StreamMethod, type UnaryMethod } from '../grpc-door.js';
import {
  accountIn,
  idOf,
  type KeysToRevoke,
  keysToRevoke,
  listingOf,
  toWire,
  type VersionedId,
  versionOf,
} from './account-messages.js';
import { importStream } from './import-stream.js';
import { keyListingOf, orderedKey, toWireKey } from './key-messages.js';

/** `latchkey.v1.AccountService`: the platform keeps us in step with its users, and programs make keys. */
export class AccountService implements GrpcDoor {
  readonly service = 'latchkey.v1.AccountService';
  readonly proto = 'latchkey/v1/account_service.proto';
  readonly role = 'accounts';
  private readonly streams = new OpenStreams();

  constructor(private readonly parts: SharedUseCases) {}

  readonly methods = {
    PutAccount: unary<proto.PutAccountRequest__Output, proto.Account>(async (request, { actor }) =>
      toWire(await this.parts.putAccount.execute(accountIn(request), actor)),
    ),
    GetAccount: unary<VersionedId, proto.Account>(async (request) =>
      toWire(await this.parts.getAccount.execute(idOf(request))),
    ),
    SuspendAccount: this.changing('suspend'),
    ReactivateAccount: this.changing('reactivate'),
    DeleteAccount: this.changing('delete'),
    PurgeAccount: unary<VersionedId, proto.PurgeAccountResponse>(async (request, { actor }) => ({
      revokedKeys: await this.parts.purgeAccount.execute(idOf(request), versionOf(request), actor),
    })),
    ListAccounts: unary<proto.ListAccountsRequest__Output, proto.ListAccountsResponse>(async (request) => {
      const { items, nextCursor } = await this.parts.listAccounts.execute(listingOf(request));
      return { accounts: items.map(toWire), nextPageToken: nextCursor ?? '' };
    }),
    ListKeys: unary<proto.ListKeysRequest__Output, proto.ListKeysResponse>(async (request) => {
      const { items, nextCursor } = await this.parts.listAllKeys.execute(keyListingOf(request));
      return { keys: items.map(toWireKey), nextPageToken: nextCursor ?? '' };
    }),
    RevokeKeys: unary<proto.RevokeKeysRequest__Output, proto.RevokeKeysResponse>(
      async (request, call) => ({ revokedKeys: await this.revoke(keysToRevoke(request), call) }),
      ['accounts', 'issuer'],
    ),
    CreateKey: unary<proto.CreateKeyRequest__Output, proto.CreateKeyResponse>(
      async (request, { issuer }) => {
        const created = await this.parts.keysFromCode.create(orderedKey(request), issuer);
        return { key: toWireKey(created), fullKey: created.fullKey };
      },
      ['issuer'],
    ),
    RotateKey: unary<proto.RotateKeyRequest__Output, proto.RotateKeyResponse>(
      async (request, { issuer }) => {
        const rotated = await this.parts.keysFromCode.rotate(request, issuer);
        return { key: toWireKey(rotated), replaced: toWireKey(rotated.replaced), fullKey: rotated.fullKey };
      },
      ['issuer'],
    ),
    /** Has a role of its own, because it makes keys that work. */
    ImportKeys: {
      roles: ['importer'],
      converse: (call, each, service, fail) => {
        this.streams.add(call);
        importStream(call, { importKeys: this.parts.importKeys, each, actor: platform(service) }).catch(fail);
      },
    } satisfies StreamMethod<proto.ImportKeyRequest__Output, proto.ImportKeyResponse>,
  };

  drain(): void {
    this.streams.drain();
  }

  private changing(change: 'suspend' | 'reactivate' | 'delete') {
    return unary<VersionedId, proto.Account>(async (request, { actor }) =>
      toWire(await this.parts.changeAccount[change](idOf(request), versionOf(request), actor)),
    );
  }

  /** Throws `forbidden` when an issuer names no single key. */
  private async revoke({ keyId, ownerId }: KeysToRevoke, { actor, issuer, role }: Calling): Promise<number> {
    const { keysFromCode, revokeKeys } = this.parts;
    const cause = { actor, reason: 'platform' } as const;
    if (role !== 'issuer') {
      return keyId === undefined ? (await revokeKeys.all(ownerId, cause)).length : revokeKeys.byId(keyId, cause);
    }
    if (keyId !== undefined) return keysFromCode.revoke(keyId, issuer);
    throw new LatchkeyError('forbidden', 'The role issuer revokes keys one by one, by key_id');
  }
}

/** What a method knows of its caller. */
interface Calling {
  readonly actor: Actor;
  readonly issuer: Issuer;
  readonly role: ServiceRole | undefined;
}

/** @param roles default: that of the door */
function unary<Request, Answer>(
  work: (request: Request, call: Calling) => Promise<Answer>,
  roles?: readonly ServiceRole[],
): UnaryMethod<Request, Answer> {
  return {
    roles,
    answer: (request, _call, service) => {
      const actor = platform(service);
      return work(request, { actor, issuer: { actor, scope: service.issuesFor }, role: service.role });
    },
  };
}

/** The longest actor id. The name in a certificate may be longer; it is then cut off. */
const MAX_CHARACTERS = 128;

/** The platform as the audit trail names it. Its address is not recorded, because it is not a client's address. */
function platform({ name }: CallingService): Actor {
  return { actorId: `service:${name}`.slice(0, MAX_CHARACTERS), actorKind: 'service', client: NO_CLIENT };
}

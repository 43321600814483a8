import type { ChangeAccountStatus, PurgeAccount } from '#application/accounts/change-account.js';
import type { GetAccount, ListAccounts } from '#application/accounts/find-accounts.js';
import type { PutAccount } from '#application/accounts/put-account.js';
import type { ImportKeys } from '#application/keys/import-keys.js';
import type { Issuer, KeysFromCode } from '#application/keys/keys-from-code.js';
import type { RevokeAsPlatform } from '#application/keys/revoke-for-owner.js';
import type { ListAllKeys } from '#application/keys/shown-keys.js';
import type { ServiceRole } from '#config/service-roles.js';
import { type Actor, NO_CLIENT } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { CallingService } from '../../shared/service-identity.js';
import type * as proto from '../generated/types.js';
import { type GrpcDoor, OpenStreams, type StreamMethod, type UnaryMethod } from '../grpc-door.js';
import {
  accountIn,
  type ById,
  idOf,
  keysToRevoke,
  listingOf,
  toWire,
  type Versioned,
  versionOf,
} from './account-messages.js';
import { type ImportCall, importStream } from './import-stream.js';
import { keyListingOf, orderedKey, toWireKey } from './key-messages.js';

interface AccountServiceParts {
  readonly putAccount: PutAccount;
  readonly getAccount: GetAccount;
  readonly changeAccountStatus: ChangeAccountStatus;
  readonly purgeAccount: PurgeAccount;
  readonly revokeAsPlatform: RevokeAsPlatform;
  readonly listAccounts: ListAccounts;
  readonly listAllKeys: ListAllKeys;
  readonly keysFromCode: KeysFromCode;
  readonly importKeys: ImportKeys;
}

/** `latchkey.v1.AccountService`: the platform keeps us in step with its users, and programs make keys. */
export class AccountService implements GrpcDoor {
  readonly service = 'latchkey.v1.AccountService';
  readonly proto = 'latchkey/v1/account_service.proto';
  readonly role = 'accounts';
  readonly methods;
  private readonly streams = new OpenStreams();

  constructor(parts: AccountServiceParts) {
    const { putAccount, getAccount, changeAccountStatus: status, purgeAccount, listAccounts, listAllKeys } = parts;
    const statusChange = (change: 'suspend' | 'reactivate' | 'delete') =>
      unary(async (request: ById & Versioned, service) =>
        toWire(await status[change](idOf(request), versionOf(request), platform(service))),
      );
    this.methods = {
      PutAccount: unary(async (request: proto.PutAccountRequest__Output, service) =>
        toWire(await putAccount.execute(accountIn(request), platform(service))),
      ),
      GetAccount: unary(async (request: ById) => toWire(await getAccount.execute(idOf(request)))),
      SuspendAccount: statusChange('suspend'),
      ReactivateAccount: statusChange('reactivate'),
      DeleteAccount: statusChange('delete'),
      PurgeAccount: unary(async (request: ById & Versioned, service) => ({
        revokedKeys: await purgeAccount.execute(idOf(request), versionOf(request), platform(service)),
      })),
      ListAccounts: unary(async (request: proto.ListAccountsRequest__Output): Promise<proto.ListAccountsResponse> => {
        const { items, nextCursor } = await listAccounts.execute(listingOf(request));
        return { accounts: items.map(toWire), nextPageToken: nextCursor ?? '' };
      }),
      ListKeys: unary(async (request: proto.ListKeysRequest__Output): Promise<proto.ListKeysResponse> => {
        const { items, nextCursor } = await listAllKeys.execute(keyListingOf(request));
        return { keys: items.map(toWireKey), nextPageToken: nextCursor ?? '' };
      }),
      RevokeKeys: unary(revoking(parts), ['accounts', 'issuer']),
      ...issuing(parts.keysFromCode),
      ImportKeys: this.importing(parts.importKeys),
    };
  }

  drain(): void {
    this.streams.drain();
  }

  /** Has a role of its own, because it makes keys that work. */
  private importing(importKeys: ImportKeys): StreamMethod<never, unknown> {
    return {
      roles: ['importer'],
      converse: (call: ImportCall, each, service, fail) => {
        this.streams.add(call);
        importStream(call, { importKeys, each, actor: platform(service) }).catch(fail);
      },
    };
  }
}

function unary<Request, Answer>(
  work: (request: Request, service: CallingService) => Promise<Answer>,
  roles?: readonly ServiceRole[],
): UnaryMethod<Request, Answer> {
  return { ...(roles && { roles }), answer: (request, _call, service) => work(request, service) };
}

type RevokingParts = Pick<AccountServiceParts, 'revokeAsPlatform' | 'keysFromCode'>;

function revoking({ revokeAsPlatform, keysFromCode }: RevokingParts) {
  return async (
    request: proto.RevokeKeysRequest__Output,
    service: CallingService,
  ): Promise<proto.RevokeKeysResponse> => {
    const { keyId, ownerId } = keysToRevoke(request);
    if (service.role === 'issuer') {
      return { revokedKeys: await keysFromCode.revoke(ownKey(keyId), issuerIn(service)) };
    }
    const actor = platform(service);
    const revoked = keyId === undefined ? revokeAsPlatform.all(ownerId, actor) : revokeAsPlatform.one(keyId, actor);
    return { revokedKeys: await revoked };
  };
}

/** Throws `forbidden` when an issuer names no single key. */
function ownKey(keyId: string | undefined): string {
  if (keyId !== undefined) return keyId;
  throw new LatchkeyError('forbidden', 'The role issuer revokes keys one by one, by key_id');
}

function issuing(keys: KeysFromCode) {
  const create = async (request: proto.CreateKeyRequest__Output, service: CallingService) => {
    const created = await keys.create(orderedKey(request), issuerIn(service));
    return { key: toWireKey(created), fullKey: created.fullKey } satisfies proto.CreateKeyResponse;
  };
  const rotate = async (request: proto.RotateKeyRequest__Output, service: CallingService) => {
    const rotated = await keys.rotate(request, issuerIn(service));
    const replaced = toWireKey({ ...rotated.replaced, now: rotated.now });
    return { key: toWireKey(rotated), replaced, fullKey: rotated.fullKey } satisfies proto.RotateKeyResponse;
  };
  return { CreateKey: unary(create, ['issuer']), RotateKey: unary(rotate, ['issuer']) };
}

function issuerIn(service: CallingService): Issuer {
  return { actor: platform(service), scope: service.issuesFor };
}

/** The longest actor id. The name in a certificate may be longer; it is then cut off. */
const MAX_CHARACTERS = 128;

/** The platform as the audit trail names it. Its address is not recorded, because it is not a client's address. */
function platform({ name }: CallingService): Actor {
  return { actorId: `service:${name}`.slice(0, MAX_CHARACTERS), actorKind: 'service', client: NO_CLIENT };
}

import { Catch, Controller, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { ChangeAccount } from '#application/accounts/change-account.js';
import { FindAccounts } from '#application/accounts/find-accounts.js';
import { PutAccount } from '#application/accounts/put-account.js';
import { ShownKeys } from '#application/keys/shown-keys.js';
import { RevokeKeys } from '#application/keys/revoke-keys.js';
import { type Issuer, KeysFromCode } from '#application/keys/keys-from-code.js';
import type { Actor } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { CallingService } from '../../shared/service-identity.js';
import type * as proto from '../generated/types.js';
import { accountIn, idOf, keysToRevoke, listingOf, toWire, type VersionedId, versionOf } from './account-messages.js';
import { keyListingOf, orderedKey, toWireKey } from './key-messages.js';

/** What the methods of the controller receive. */
export interface PlatformCall<Request> {
  readonly request: Request;
  readonly actor: Actor;
  readonly service: CallingService;
}

/** The pipeline maps errors to a status for every service. */
@Catch()
class PassErrorsOn implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

@Controller()
@UseFilters(PassErrorsOn)
export class AccountController {
  constructor(
    private readonly putAccount: PutAccount,
    private readonly findAccounts: FindAccounts,
    private readonly changeAccount: ChangeAccount,
    private readonly revokeKeys: RevokeKeys,
    private readonly shownKeys: ShownKeys,
    private readonly keys: KeysFromCode,
  ) {}

  @MessagePattern('PutAccount')
  async put({ request, actor }: PlatformCall<proto.PutAccountRequest__Output>): Promise<proto.Account> {
    return toWire(await this.putAccount.execute(accountIn(request), actor));
  }

  @MessagePattern('GetAccount')
  async get({ request }: PlatformCall<VersionedId>): Promise<proto.Account> {
    return toWire(await this.findAccounts.byId(idOf(request)));
  }

  @MessagePattern('SuspendAccount')
  async suspend({ request, actor }: PlatformCall<VersionedId>): Promise<proto.Account> {
    return toWire(await this.changeAccount.suspend(idOf(request), versionOf(request), actor));
  }

  @MessagePattern('ReactivateAccount')
  async reactivate({ request, actor }: PlatformCall<VersionedId>): Promise<proto.Account> {
    return toWire(await this.changeAccount.reactivate(idOf(request), versionOf(request), actor));
  }

  @MessagePattern('DeleteAccount')
  async delete({ request, actor }: PlatformCall<VersionedId>): Promise<proto.Account> {
    return toWire(await this.changeAccount.delete(idOf(request), versionOf(request), actor));
  }

  @MessagePattern('PurgeAccount')
  async purge({ request, actor }: PlatformCall<VersionedId>): Promise<proto.PurgeAccountResponse> {
    return { revokedKeys: await this.changeAccount.purge(idOf(request), versionOf(request), actor) };
  }

  @MessagePattern('RevokeKeys')
  async revoke(call: PlatformCall<proto.RevokeKeysRequest__Output>): Promise<proto.RevokeKeysResponse> {
    const { request, actor, service } = call;
    const { keyId, ownerId } = keysToRevoke(request);
    if (service.role === 'issuer') return { revokedKeys: await this.keys.revoke(ownKey(keyId), issuerIn(call)) };
    const cause = { actor, reason: 'platform' } as const;
    if (keyId !== undefined) return { revokedKeys: await this.revokeKeys.byId(keyId, cause) };
    return { revokedKeys: (await this.revokeKeys.all(ownerId, cause)).length };
  }

  @MessagePattern('CreateKey')
  async create(call: PlatformCall<proto.CreateKeyRequest__Output>): Promise<proto.CreateKeyResponse> {
    const created = await this.keys.create(orderedKey(call.request), issuerIn(call));
    return { key: toWireKey(created), fullKey: created.fullKey };
  }

  @MessagePattern('RotateKey')
  async rotate(call: PlatformCall<proto.RotateKeyRequest__Output>): Promise<proto.RotateKeyResponse> {
    const rotated = await this.keys.rotate(call.request, issuerIn(call));
    return { key: toWireKey(rotated), replaced: toWireKey(rotated.replaced), fullKey: rotated.fullKey };
  }

  @MessagePattern('ListAccounts')
  async list({ request }: PlatformCall<proto.ListAccountsRequest__Output>): Promise<proto.ListAccountsResponse> {
    const { items, nextCursor } = await this.findAccounts.list(listingOf(request));
    return { accounts: items.map(toWire), nextPageToken: nextCursor ?? '' };
  }

  @MessagePattern('ListKeys')
  async listKeys({ request }: PlatformCall<proto.ListKeysRequest__Output>): Promise<proto.ListKeysResponse> {
    const { items, nextCursor } = await this.shownKeys.ofAll(keyListingOf(request));
    return { keys: items.map(toWireKey), nextPageToken: nextCursor ?? '' };
  }
}

function issuerIn({ actor, service }: PlatformCall<unknown>): Issuer {
  return { actor, scope: service.issuesFor };
}

/** Throws `forbidden` when an issuer names no single key. */
function ownKey(keyId: string | undefined): string {
  if (keyId !== undefined) return keyId;
  throw new LatchkeyError('forbidden', 'The role issuer revokes keys one by one, by key_id');
}

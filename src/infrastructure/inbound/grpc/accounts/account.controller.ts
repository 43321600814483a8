import { Catch, Controller, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { ChangeAccountStatus, PurgeAccount } from '#application/accounts/change-account.js';
import { GetAccount, ListAccounts } from '#application/accounts/find-accounts.js';
import { PutAccount } from '#application/accounts/put-account.js';
import { ListAllKeys } from '#application/keys/shown-keys.js';
import { RevokeAsPlatform } from '#application/keys/revoke-for-owner.js';
import type { Actor } from '#domain/audit/audit-event.js';
import type { Account as WireAccount } from '../generated/latchkey/v1/Account.js';
import type { ListAccountsRequest__Output } from '../generated/latchkey/v1/ListAccountsRequest.js';
import type { ListAccountsResponse } from '../generated/latchkey/v1/ListAccountsResponse.js';
import type { ListKeysRequest__Output } from '../generated/latchkey/v1/ListKeysRequest.js';
import type { ListKeysResponse } from '../generated/latchkey/v1/ListKeysResponse.js';
import type { PurgeAccountResponse } from '../generated/latchkey/v1/PurgeAccountResponse.js';
import type { PutAccountRequest__Output } from '../generated/latchkey/v1/PutAccountRequest.js';
import type { RevokeKeysRequest__Output } from '../generated/latchkey/v1/RevokeKeysRequest.js';
import type { RevokeKeysResponse } from '../generated/latchkey/v1/RevokeKeysResponse.js';
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
import { keyListingOf, toWireKey } from './key-messages.js';

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
    private readonly getAccount: GetAccount,
    private readonly status: ChangeAccountStatus,
    private readonly purgeAccount: PurgeAccount,
    private readonly revokeKeys: RevokeAsPlatform,
    private readonly listAccounts: ListAccounts,
    private readonly listAllKeys: ListAllKeys,
  ) {}

  @MessagePattern('PutAccount')
  async put(@Payload() request: PutAccountRequest__Output, @Ctx() platform: Actor): Promise<WireAccount> {
    return toWire(await this.putAccount.execute(accountIn(request), platform));
  }

  @MessagePattern('GetAccount')
  async get(request: ById): Promise<WireAccount> {
    return toWire(await this.getAccount.execute(idOf(request)));
  }

  @MessagePattern('SuspendAccount')
  async suspend(@Payload() request: ById & Versioned, @Ctx() platform: Actor): Promise<WireAccount> {
    return toWire(await this.status.suspend(idOf(request), versionOf(request), platform));
  }

  @MessagePattern('ReactivateAccount')
  async reactivate(@Payload() request: ById & Versioned, @Ctx() platform: Actor): Promise<WireAccount> {
    return toWire(await this.status.reactivate(idOf(request), versionOf(request), platform));
  }

  @MessagePattern('DeleteAccount')
  async delete(@Payload() request: ById & Versioned, @Ctx() platform: Actor): Promise<WireAccount> {
    return toWire(await this.status.delete(idOf(request), versionOf(request), platform));
  }

  @MessagePattern('PurgeAccount')
  async purge(@Payload() request: ById & Versioned, @Ctx() platform: Actor): Promise<PurgeAccountResponse> {
    return { revokedKeys: await this.purgeAccount.execute(idOf(request), versionOf(request), platform) };
  }

  @MessagePattern('RevokeKeys')
  async revoke(@Payload() request: RevokeKeysRequest__Output, @Ctx() platform: Actor): Promise<RevokeKeysResponse> {
    const { keyId, ownerId } = keysToRevoke(request);
    const revoked = keyId === undefined ? this.revokeKeys.all(ownerId, platform) : this.revokeKeys.one(keyId, platform);
    return { revokedKeys: await revoked };
  }

  @MessagePattern('ListAccounts')
  async list(request: ListAccountsRequest__Output): Promise<ListAccountsResponse> {
    const { items, nextCursor } = await this.listAccounts.execute(listingOf(request));
    return { accounts: items.map(toWire), nextPageToken: nextCursor ?? '' };
  }

  @MessagePattern('ListKeys')
  async listKeys(request: ListKeysRequest__Output): Promise<ListKeysResponse> {
    const { items, nextCursor } = await this.listAllKeys.execute(keyListingOf(request));
    return { keys: items.map(toWireKey), nextPageToken: nextCursor ?? '' };
  }
}

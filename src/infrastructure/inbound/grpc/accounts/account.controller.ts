import { Controller, UseFilters } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { ChangeAccountStatus } from '../../../../application/accounts/change-account-status.js';
import { GetAccount } from '../../../../application/accounts/get-account.js';
import { PutAccount } from '../../../../application/accounts/put-account.js';
import { accountIdProblem } from '../../../../domain/accounts/account.js';
import { requireFields } from '../../../../domain/errors.js';
import type { Account as WireAccount } from '../generated/latchkey/v1/Account.js';
import type { PutAccountRequest__Output } from '../generated/latchkey/v1/PutAccountRequest.js';
import { toWire } from './account-message.js';
import { PassErrorsOn } from './pass-errors-on.filter.js';

interface ById {
  readonly id: string;
}

interface Versioned {
  /** Of a uint64 the loader makes a text. */
  readonly version?: string | undefined;
}

/** The methods of `latchkey.v1.AccountService`, by their names. */
@Controller()
@UseFilters(PassErrorsOn)
export class AccountController {
  constructor(
    private readonly putAccount: PutAccount,
    private readonly getAccount: GetAccount,
    private readonly status: ChangeAccountStatus,
  ) {}

  @MessagePattern('PutAccount')
  async put(request: PutAccountRequest__Output): Promise<WireAccount> {
    return toWire(await this.putAccount.execute({ ...request, version: versionOf(request) }));
  }

  @MessagePattern('GetAccount')
  async get(request: ById): Promise<WireAccount> {
    return toWire(await this.getAccount.execute(idOf(request)));
  }

  @MessagePattern('SuspendAccount')
  async suspend(request: ById & Versioned): Promise<WireAccount> {
    return toWire(await this.status.suspend(idOf(request), versionOf(request)));
  }

  @MessagePattern('ReactivateAccount')
  async reactivate(request: ById & Versioned): Promise<WireAccount> {
    return toWire(await this.status.reactivate(idOf(request), versionOf(request)));
  }

  @MessagePattern('DeleteAccount')
  async delete(request: ById & Versioned): Promise<WireAccount> {
    return toWire(await this.status.delete(idOf(request), versionOf(request)));
  }
}

function idOf({ id }: ById): string {
  requireFields({ id: accountIdProblem(id) });
  return id;
}

function versionOf({ version }: Versioned): bigint | undefined {
  return version === undefined ? undefined : BigInt(version);
}

import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ManagedAccounts } from '../../../../application/managed-account.js';
import { ACCOUNT_STATUSES } from '../../../../domain/accounts/account.js';
import { ACCOUNT_KINDS } from '../../../../domain/accounts/account-profile.js';
import { OWNERS_ONLY, ProblemResponses } from '../pipeline/problem-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { ForOwners } from './owner.guard.js';

class ManagedAccountView {
  @ApiProperty() id!: string;
  @ApiProperty() displayName!: string;
  @ApiProperty({ enum: ACCOUNT_KINDS }) kind!: string;
  @ApiProperty({ enum: ACCOUNT_STATUSES }) status!: string;
}

class ManagedAccountListView {
  @ApiProperty({ type: [ManagedAccountView], description: 'The person first' }) items!: ManagedAccountView[];
}

/** The accounts whose keys a person works with. */
@ApiTags('accounts')
@Controller('v1/accounts')
@ForOwners()
export class AccountsController {
  constructor(private readonly managed: ManagedAccounts) {}

  @Get()
  @ApiOkResponse({ type: ManagedAccountListView })
  @ProblemResponses(OWNERS_ONLY)
  async list(@Req() { session }: LatchkeyRequest): Promise<ManagedAccountListView> {
    const accounts = await this.managed.list(session!.account);
    return { items: accounts.map(({ id, displayName, kind, status }) => ({ id, displayName, kind, status })) };
  }
}

import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { accessCeiling } from '../../../../domain/accounts/account-limits.js';
import { permissionsToGive } from '../../../../domain/keys/access.js';
import { OF_ACCOUNT, ProblemResponses } from '../pipeline/problem-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { ForKeysOfAccount, ownerIn } from './managed-account.guard.js';
import { PermissionsView } from './views.js';

/** What owners may choose from when they make a key. */
@ApiTags('api-keys')
@Controller('v1/permissions')
@ForKeysOfAccount()
export class PermissionsController {
  @Get()
  @ApiOkResponse({ type: PermissionsView })
  @ProblemResponses(OF_ACCOUNT)
  list(@Req() request: LatchkeyRequest): PermissionsView {
    const { permissions, limits } = ownerIn(request);
    const maxAccess = accessCeiling(limits);
    return { items: permissionsToGive(maxAccess, permissions), maxAccess };
  }
}

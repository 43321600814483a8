import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { lowerAccess } from '../../../../domain/accounts/access-level.js';
import { permissionsToGive } from '../../../../domain/keys/access.js';
import { OWNERS_ONLY, ProblemResponses } from '../pipeline/problem-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { ForOwners } from './owner.guard.js';
import { PermissionsView } from './views.js';

/** What owners may choose from when they make a key. */
@ApiTags('api-keys')
@Controller('v1/permissions')
@ForOwners()
export class PermissionsController {
  @Get()
  @ApiOkResponse({ type: PermissionsView })
  @ProblemResponses(OWNERS_ONLY)
  list(@Req() { session }: LatchkeyRequest): PermissionsView {
    const { permissions, limits } = session!.account;
    const maxAccess = lowerAccess('read-and-write', limits.maxAccess);
    return { items: permissionsToGive(maxAccess, permissions), maxAccess };
  }
}

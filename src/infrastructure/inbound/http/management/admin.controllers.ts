import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { RevokeAsAdministrator } from '#application/administration/administrators.js';
import { ViewKeys } from '#application/administration/view-keys.js';
import { accountActor, type Actor } from '#domain/audit/audit-event.js';
import { API_KEY_STATUSES } from '#domain/keys/key-status.js';
import { ProblemResponses } from '../pipeline/openapi.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { ownerView } from '../../shared/key-view.js';
import { EVENT_TYPES } from './audit-events.controller.js';
import { CONFIRMED } from './api-keys.controller.js';
import {
  MAX_PREFIX_LENGTH,
  type Query as SearchQuery,
  readAccountQuery,
  readEventSearch,
  readKeyId,
  readListing,
} from './queries.js';
import { RevokeAnyKeyBody } from './bodies.js';
import {
  AuditedEventListView,
  auditedEventListView,
  KeyOwnerListView,
  OwnedKeyHistoryView,
  ownedKeyHistoryView,
  OwnedKeyListView,
  ownedKeyListView,
  RevokedKeyView,
  revokedKeyView,
} from './admin-views.js';
import { ForAdministrators } from './guards.js';

const ADMINISTRATORS_ONLY = {
  401: 'An invalid API key',
  403: 'An API key',
  404: 'Not an administrator at the settings screen, or no such key',
  429: 'An API key that exceeds its rate limit',
} as const;

const SEARCH = {
  ...ADMINISTRATORS_ONLY,
  400: 'Invalid query',
  404: 'Not an administrator at the settings screen',
} as const;

const TEXT = { required: false, schema: { type: 'string' } } as const;
const TIME = { required: false, schema: { type: 'string', format: 'date-time' } } as const;
const PREFIX = 'What a list shows of the key, such as lk_4f9a01c2d3e4…, or a beginning of it';

function viewerIn(request: LatchkeyRequest): Actor {
  return accountActor(request.session!.account.id, clientOf(request));
}

/** The keys of all owners. */
@ApiTags('administration')
@Controller('v1/admin/api-keys')
@ForAdministrators()
export class AdminKeysController {
  constructor(
    private readonly view: ViewKeys,
    private readonly revokeKey: RevokeAsAdministrator,
  ) {}

  @Get()
  @ApiQuery({ name: 'owner', ...TEXT, description: 'The id of an account' })
  @ApiQuery({
    name: 'prefix',
    required: false,
    schema: { type: 'string', maxLength: MAX_PREFIX_LENGTH },
    description: PREFIX,
  })
  @ApiQuery({ name: 'status', required: false, enum: API_KEY_STATUSES })
  @ApiQuery({
    name: 'lastUsedBefore',
    ...TIME,
    description: 'A key that was never used counts as used when it was made',
  })
  @ApiQuery({ name: 'expiresFrom', ...TIME })
  @ApiQuery({ name: 'expiresBefore', ...TIME })
  @ApiQuery({ name: 'cursor', ...TEXT })
  @ApiOkResponse({ type: OwnedKeyListView })
  @ProblemResponses({ ...ADMINISTRATORS_ONLY, 400: 'Invalid query' })
  async list(@Req() request: LatchkeyRequest, @Query() query: SearchQuery): Promise<OwnedKeyListView> {
    return ownedKeyListView(await this.view.page(readListing(query), viewerIn(request)));
  }

  @Get(':id')
  @ApiOkResponse({ type: OwnedKeyHistoryView })
  @ProblemResponses(ADMINISTRATORS_ONLY)
  async get(@Req() request: LatchkeyRequest, @Param('id') id: string): Promise<OwnedKeyHistoryView> {
    return ownedKeyHistoryView(await this.view.key(readKeyId(id), viewerIn(request)));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @ApiOkResponse({ type: RevokedKeyView })
  @ProblemResponses({ ...CONFIRMED, 404: ADMINISTRATORS_ONLY[404], 409: 'The key is not active' })
  async revoke(
    @Req() request: LatchkeyRequest,
    @Param('id') id: string,
    @Body() { note, password }: RevokeAnyKeyBody,
  ): Promise<RevokedKeyView> {
    const { account: administrator, signIn } = request.session!;
    const command = { administrator, keyId: readKeyId(id), note, password, signIn };
    return revokedKeyView(await this.revokeKey.execute(command, clientOf(request)));
  }
}

@ApiTags('administration')
@Controller('v1/admin/accounts')
@ForAdministrators()
export class AdminAccountsController {
  constructor(private readonly view: ViewKeys) {}

  @Get()
  @ApiQuery({ name: 'query', schema: { type: 'string' }, description: 'The id or the email of an account' })
  @ApiOkResponse({ type: KeyOwnerListView })
  @ProblemResponses(SEARCH)
  async list(@Req() request: LatchkeyRequest, @Query() query: SearchQuery): Promise<KeyOwnerListView> {
    const accounts = await this.view.accountsOf(readAccountQuery(query), viewerIn(request));
    return { items: accounts.map(ownerView) };
  }
}

@ApiTags('administration')
@Controller('v1/admin/audit-events')
@ForAdministrators()
export class AdminAuditController {
  constructor(private readonly view: ViewKeys) {}

  @Get()
  @ApiQuery({ name: 'actor', ...TEXT, description: 'An account’s id, service:<name> or admin:<name>' })
  @ApiQuery({ name: 'account', ...TEXT, description: 'The id of the account that the events are about' })
  @ApiQuery({ name: 'key', required: false, schema: { type: 'string', format: 'uuid' } })
  @ApiQuery(EVENT_TYPES)
  @ApiQuery({ name: 'from', ...TIME })
  @ApiQuery({ name: 'until', ...TIME, description: 'Exclusive' })
  @ApiQuery({ name: 'cursor', ...TEXT })
  @ApiOkResponse({ type: AuditedEventListView })
  @ProblemResponses(SEARCH)
  async list(@Req() request: LatchkeyRequest, @Query() query: SearchQuery): Promise<AuditedEventListView> {
    return auditedEventListView(await this.view.events(readEventSearch(query), viewerIn(request)));
  }
}

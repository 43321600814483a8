import { Body, Controller, Get, Headers, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiTags } from '@nestjs/swagger';
import { ChangeKeysOfOwner, ViewKeyOfOwner, ListAuditEvents } from '#application/keys/keys-of-owner.js';
import { ShownKeys } from '#application/keys/shown-keys.js';
import { MakeApiKeys } from '#application/keys/make-api-keys.js';
import { requireFields } from '#domain/errors.js';
import { ROTATION_FIELDS } from '#domain/keys/key-rules.js';
import { accessCeiling } from '#domain/accounts/entitlements.js';
import { permissionsToGive } from '#domain/accounts/permission.js';
import { keyView } from '../../shared/key-view.js';
import { Answers, Creates, MALFORMED_BODY } from '../pipeline/openapi.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { eventView, keyHistoryView, keyListView, pageView } from './answers.js';
import {
  CreateApiKeyBody,
  HandledBody,
  PauseApiKeyBody,
  RenameApiKeyBody,
  ConfirmedBody,
  RotateApiKeyBody,
} from './bodies.js';
import { actingIn, ForKeysOfAccount, ownerIn } from './guards.js';
import { EventQuery, ListQuery, readIdempotencyKey, readKeyId, readPage } from './queries.js';
import * as views from './views.js';

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  required: false,
  description: 'A second request with the same value creates nothing',
} as const;

const LEAKED = {
  type: 'boolean',
  default: false,
  description: 'It leaked: the reason is `leaked`, and an unused rotation is not cancelled',
} as const;

const NO_KEY = 'No such key of this account, or no such account that the person manages';

/** The responses of a change of a key that nobody confirms. */
const CHANGED = {
  ...MALFORMED_BODY,
  400: 'Invalid or unknown fields',
  403: 'An API key, or a request from another site',
  404: NO_KEY,
} as const;

/** The responses of a change that owners confirm. */
export const CONFIRMED = {
  ...MALFORMED_BODY,
  400: 'Invalid or unknown fields',
  401: 'Not signed in, or not recently enough: see WWW-Authenticate (RFC 9470)',
  403: 'Incorrect password, an API key, or a request from another site',
  429: 'Too many wrong passwords, too many keys made within an hour, or an API key past its rate limit',
} as const;

@ApiTags('api-keys')
@Controller('v1/api-keys')
@ForKeysOfAccount()
export class ApiKeysController {
  constructor(
    private readonly shownKeys: ShownKeys,
    private readonly key: ViewKeyOfOwner,
    private readonly makeKeys: MakeApiKeys,
    private readonly changeKeys: ChangeKeysOfOwner,
  ) {}

  @Get()
  @Answers(views.ApiKeyListView)
  async list(@Req() request: LatchkeyRequest, @Query() query: ListQuery) {
    return keyListView(await this.shownKeys.ofOwner(ownerIn(request).id, query.status, readPage(query), query.sort));
  }

  @Get(':id')
  @Answers(views.ApiKeyHistoryView, { 404: NO_KEY })
  async get(@Req() request: LatchkeyRequest, @Param('id') id: string) {
    return keyHistoryView(await this.key.find(ownerIn(request).id, readKeyId(id)));
  }

  @Post()
  @ApiHeader(IDEMPOTENCY_KEY)
  @Creates(views.CreatedApiKeyView, {
    ...CONFIRMED,
    409: 'The maximum number of keys is active already, or the Idempotency-Key was used before',
  })
  async create(
    @Req() request: LatchkeyRequest,
    @Body() { expiresInDays, ...chosen }: CreateApiKeyBody,
    @Headers('idempotency-key') header: string | undefined,
  ) {
    const { signIn } = request.session!;
    const idempotencyKey = readIdempotencyKey(header);
    const command = { ...chosen, ...actingIn(request), expiresInDays, signIn, idempotencyKey };
    const created = await this.makeKeys.create(command, clientOf(request));
    return { apiKey: keyView(created), fullKey: created.fullKey, now: created.now.toISOString() };
  }

  @Patch(':id')
  @Answers(views.ApiKeyView, { ...CHANGED, 400: 'Invalid or unknown fields, or none' })
  async rename(@Req() request: LatchkeyRequest, @Param('id') id: string, @Body() { name, note }: RenameApiKeyBody) {
    return keyView(await this.changeKeys.rename(actingIn(request), readKeyId(id), { name, note }, clientOf(request)));
  }

  @Post(':id/rotate')
  @ApiHeader(IDEMPOTENCY_KEY)
  @Creates(views.RotatedApiKeyView, {
    ...CONFIRMED,
    404: NO_KEY,
    409: 'The key is not active or being rotated, too many keys are active, or the Idempotency-Key was used before',
  })
  async rotate(
    @Req() request: LatchkeyRequest,
    @Param('id') id: string,
    @Body() { password, graceSeconds, expiresInDays, ...chosen }: RotateApiKeyBody,
    @Headers('idempotency-key') header: string | undefined,
  ) {
    const { signIn } = request.session!;
    const proof = { idempotencyKey: readIdempotencyKey(header), password, signIn };
    const order = { ...chosen, keyId: readKeyId(id), graceSeconds, expiresInDays };
    const command = { ...order, ...proof, ...actingIn(request) };
    const { replaced, fullKey, ...successor } = await this.makeKeys.rotate(command, clientOf(request));
    const now = successor.now.toISOString();
    return { apiKey: keyView(successor), replaced: keyView(replaced), fullKey, now };
  }

  @Post(':id/revoke')
  @Answers(views.ApiKeyView, { ...CHANGED, 400: '`leaked` is not true or false', 409: 'The key is not active' })
  @ApiBody({ required: false, schema: { type: 'object', properties: { leaked: LEAKED } } })
  async revoke(@Req() request: LatchkeyRequest, @Param('id') id: string) {
    // Not `@Body()`: earlier versions ignored the body, so none is required, and other fields are still ignored.
    const { leaked } = (request.body ?? {}) as { readonly leaked?: unknown };
    requireFields({ leaked: ROTATION_FIELDS.leaked(leaked) });
    const isLeaked = leaked === true;
    return keyView(await this.changeKeys.revoke(actingIn(request), readKeyId(id), clientOf(request), isLeaked));
  }

  @Post(':id/pause')
  @Answers(views.ApiKeyView, { ...CHANGED, 409: 'The key is not active' })
  async pause(@Req() request: LatchkeyRequest, @Param('id') id: string, @Body() { minutes }: PauseApiKeyBody) {
    return keyView(await this.changeKeys.pause(actingIn(request), readKeyId(id), minutes, clientOf(request)));
  }

  @Post(':id/handled')
  @Answers(views.ApiKeyView, CHANGED)
  async handled(@Req() request: LatchkeyRequest, @Param('id') id: string, @Body() { mark }: HandledBody) {
    return keyView(await this.key.markHandled(ownerIn(request).id, readKeyId(id), mark));
  }

  @Post(':id/resume')
  @Answers(views.ApiKeyView, { ...CONFIRMED, 404: NO_KEY, 409: 'The key is not active' })
  async resume(@Req() request: LatchkeyRequest, @Param('id') id: string, @Body() { password }: ConfirmedBody) {
    const proof = { password, signIn: request.session!.signIn };
    return keyView(await this.changeKeys.resume(actingIn(request), readKeyId(id), proof, clientOf(request)));
  }
}

/** What owners may choose from when they make a key. */
@ApiTags('api-keys')
@Controller('v1/permissions')
@ForKeysOfAccount()
export class PermissionsController {
  @Get()
  @Answers(views.PermissionsView)
  list(@Req() request: LatchkeyRequest) {
    const { permissions, limits } = ownerIn(request);
    const maxAccess = accessCeiling(limits);
    return { items: permissionsToGive(maxAccess, permissions), maxAccess };
  }
}

@ApiTags('audit-events')
@Controller('v1/audit-events')
@ForKeysOfAccount()
export class AuditEventsController {
  constructor(private readonly listEvents: ListAuditEvents) {}

  @Get()
  @Answers(views.AuditEventListView)
  async list(@Req() request: LatchkeyRequest, @Query() query: EventQuery) {
    const filter = { types: query.type, keyId: query.keyId };
    return pageView(await this.listEvents.execute(actingIn(request), filter, readPage(query)), eventView);
  }
}

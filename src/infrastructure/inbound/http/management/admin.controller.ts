import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ChangeAsAdministrator } from '#application/administration/administrators.js';
import { ViewKeys } from '#application/administration/view-keys.js';
import { accountActor, type Actor } from '#domain/audit/audit-event.js';
import { Answers, MALFORMED_BODY } from '../pipeline/openapi.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { ownedKeyView, ownerView } from '../../shared/key-view.js';
import { CONFIRMED } from './api-keys.controller.js';
import { AccountQuery, EventSearchQuery, KeySearchQuery, readKeyId } from './queries.js';
import { PauseApiKeyBody, ConfirmedBody, RevokeAnyKeyBody, RevokeSeveralKeysBody } from './bodies.js';
import { pageView } from './answers.js';
import * as views from './admin-views.js';
import { ForAdministrators } from './guards.js';

const NOT_ADMINISTRATOR = { 404: 'Not an administrator at the settings screen' };
const SEARCH = { ...NOT_ADMINISTRATOR, 400: 'Invalid query' };
const CHANGED = { ...CONFIRMED, 409: 'The key is not active' };

function viewerIn(request: LatchkeyRequest): Actor {
  return accountActor(request.session!.account.id, clientOf(request));
}

@ApiTags('administration')
@Controller('v1/admin')
@ForAdministrators()
export class AdminController {
  constructor(
    private readonly view: ViewKeys,
    private readonly change: ChangeAsAdministrator,
  ) {}

  @Get('api-keys')
  @Answers(views.OwnedKeyListView, SEARCH)
  async list(
    @Req() request: LatchkeyRequest,
    @Query() { owner: ownerId, cursor: pageToken, ...query }: KeySearchQuery,
  ) {
    return pageView(await this.view.page({ ...query, ownerId, pageToken }, viewerIn(request)), ownedKeyView);
  }

  @Get('api-keys/:id')
  @Answers(views.OwnedKeyHistoryView)
  async get(@Req() request: LatchkeyRequest, @Param('id') id: string) {
    return views.ownedKeyHistoryView(await this.view.key(readKeyId(id), viewerIn(request)));
  }

  @Post('api-keys/revoke')
  @Answers(views.RevokedKeysView, { ...CONFIRMED, ...NOT_ADMINISTRATOR })
  async revokeSeveral(@Req() request: LatchkeyRequest, @Body() { ids, note, password }: RevokeSeveralKeysBody) {
    const { account: administrator, signIn } = request.session!;
    const keyIds = [...new Set(ids.map((id) => id.toLowerCase()))];
    const proof = { note, password, signIn };
    const { revoked, failed } = await this.change.revokeSeveral({ administrator, keyIds }, proof, clientOf(request));
    return { revoked: [...revoked], failed: [...failed] };
  }

  @Post('api-keys/:id/revoke')
  @Answers(views.RevokedKeyView, CHANGED)
  async revoke(@Req() request: LatchkeyRequest, @Param('id') id: string, @Body() { note, password }: RevokeAnyKeyBody) {
    const { account: administrator, signIn } = request.session!;
    const order = { administrator, keyId: readKeyId(id) };
    return views.revokedKeyView(await this.change.revoke(order, { note, password, signIn }, clientOf(request)));
  }

  @Post('api-keys/:id/pause')
  @Answers(views.RevokedKeyView, { ...MALFORMED_BODY, 400: 'Invalid or unknown fields', 409: 'The key is not active' })
  async pause(@Req() request: LatchkeyRequest, @Param('id') id: string, @Body() { minutes }: PauseApiKeyBody) {
    const order = { administrator: request.session!.account, keyId: readKeyId(id) };
    return views.revokedKeyView(await this.change.pause(order, minutes, clientOf(request)));
  }

  @Post('api-keys/:id/resume')
  @Answers(views.RevokedKeyView, CHANGED)
  async resume(@Req() request: LatchkeyRequest, @Param('id') id: string, @Body() { password }: ConfirmedBody) {
    const { account: administrator, signIn } = request.session!;
    const order = { administrator, keyId: readKeyId(id) };
    return views.revokedKeyView(await this.change.resume(order, { password, signIn }, clientOf(request)));
  }

  @Get('accounts')
  @Answers(views.KeyOwnerListView, SEARCH)
  async accounts(@Req() request: LatchkeyRequest, @Query() { query }: AccountQuery) {
    const accounts = await this.view.accountsOf(query, viewerIn(request));
    return { items: accounts.map(ownerView) };
  }

  @Get('audit-events')
  @Answers(views.AuditedEventListView, SEARCH)
  async events(@Req() request: LatchkeyRequest, @Query() query: EventSearchQuery) {
    const { actor: actorId, account: ownerId, key: keyId, type: types, from: since, until, cursor } = query;
    const search = { actorId, ownerId, keyId, types, since, until, cursor };
    return pageView(await this.view.events(search, viewerIn(request)), views.auditedEventView);
  }
}

import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CreateApiKey } from '../../../../application/keys/create-api-key.js';
import { GetApiKey } from '../../../../application/keys/get-api-key.js';
import { ListApiKeys } from '../../../../application/keys/list-api-keys.js';
import { newlyListed } from '../../../../application/lists.js';
import { RevokeApiKey } from '../../../../application/keys/revoke-api-key.js';
import { RotateApiKey } from '../../../../application/keys/rotate-api-key.js';
import { requireFields } from '../../../../domain/errors.js';
import { isKeyId } from '../../../../domain/keys/key-id.js';
import { API_KEY_STATUSES } from '../../../../domain/keys/key-status.js';
import { DEFAULT_EXPIRY_DAYS, DEFAULT_GRACE_SECONDS } from '../../../../domain/keys/key-rules.js';
import { noSuchKey } from '../../../../domain/keys/owner-keys.js';
import { withoutSecrets } from '../../../../domain/secrets.js';
import { keyView } from '../../shared/key-view.js';
import { CreateApiKeyBody, RotateApiKeyBody } from './bodies.js';
import { ForOwners } from './owner.guard.js';
import { readPage, readStatus, type Query as ListQuery } from './page-query.js';
import { MALFORMED_BODY, OWNERS_ONLY, ProblemResponses } from '../pipeline/problem-responses.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { ApiKeyHistoryView, keyHistoryView } from './usage-views.js';
import { ApiKeyListView, ApiKeyView, CreatedApiKeyView, keyListView, RotatedApiKeyView } from './views.js';

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  required: false,
  description: 'A second request with the same value creates nothing',
} as const;

/** The responses of a change that owners confirm. */
const CONFIRMED = {
  ...OWNERS_ONLY,
  ...MALFORMED_BODY,
  400: 'Invalid or unknown fields',
  401: 'Not signed in, or not recently enough: see WWW-Authenticate (RFC 9470)',
  403: 'Incorrect password, an API key, or a request from another site',
  429: 'Too many wrong passwords, too many keys made within an hour, or an API key past its rate limit',
} as const;

@ApiTags('api-keys')
@Controller('v1/api-keys')
@ForOwners()
export class ApiKeysController {
  constructor(
    private readonly listKeys: ListApiKeys,
    private readonly getKey: GetApiKey,
    private readonly createKey: CreateApiKey,
    private readonly rotateKey: RotateApiKey,
    private readonly revokeKey: RevokeApiKey,
  ) {}

  @Get()
  @ApiQuery({ name: 'status', required: false, enum: API_KEY_STATUSES })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 50, default: 50 } })
  @ApiQuery({ name: 'cursor', required: false, schema: { type: 'string' } })
  @ApiOkResponse({ type: ApiKeyListView })
  @ProblemResponses({ 400: 'Invalid query', ...OWNERS_ONLY })
  async list(@Req() { session }: LatchkeyRequest, @Query() query: ListQuery): Promise<ApiKeyListView> {
    return keyListView(await this.listKeys.execute(session!.account.id, readStatus(query), readPage(query)));
  }

  @Get(':id')
  @ApiOkResponse({ type: ApiKeyHistoryView })
  @ProblemResponses({ ...OWNERS_ONLY, 404: 'No such key of this owner' })
  async get(@Req() { session }: LatchkeyRequest, @Param('id') id: string): Promise<ApiKeyHistoryView> {
    return keyHistoryView(await this.getKey.execute(session!.account.id, readKeyId(id)));
  }

  @Post()
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiCreatedResponse({ type: CreatedApiKeyView })
  @ProblemResponses({
    ...CONFIRMED,
    409: 'Five keys are active already, or the Idempotency-Key was used before',
  })
  async create(
    @Req() request: LatchkeyRequest,
    @Body() { expiresInDays = DEFAULT_EXPIRY_DAYS, ...chosen }: CreateApiKeyBody,
    @Headers('idempotency-key') header: string | undefined,
  ): Promise<CreatedApiKeyView> {
    const { account, signIn } = request.session!;
    const idempotencyKey = readIdempotencyKey(header);
    const command = { ...chosen, expiresInDays, ownerId: account.id, signIn, idempotencyKey };
    const { key, fullKey, now } = await this.createKey.execute(command, clientOf(request));
    return { apiKey: keyView(newlyListed(key, now), now), fullKey };
  }

  @Post(':id/rotate')
  @ApiHeader(IDEMPOTENCY_KEY)
  @ApiCreatedResponse({ type: RotatedApiKeyView })
  @ProblemResponses({
    ...CONFIRMED,
    404: 'No such key of this owner',
    409: 'The key is not active, a rotation of it is not finished, or the Idempotency-Key was used before',
  })
  async rotate(
    @Req() request: LatchkeyRequest,
    @Param('id') id: string,
    @Body() { graceSeconds = DEFAULT_GRACE_SECONDS, expiresInDays, password }: RotateApiKeyBody,
    @Headers('idempotency-key') header: string | undefined,
  ): Promise<RotatedApiKeyView> {
    const { account, signIn } = request.session!;
    const order = { keyId: readKeyId(id), graceSeconds, expiresInDays, idempotencyKey: readIdempotencyKey(header) };
    const command = { ...order, ownerId: account.id, password, signIn };
    const { key, replaced, fullKey, now } = await this.rotateKey.execute(command, clientOf(request));
    return { apiKey: keyView(newlyListed(key, now), now), replaced: keyView(replaced, now), fullKey };
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @ApiOkResponse({ type: ApiKeyView })
  @ProblemResponses({
    ...OWNERS_ONLY,
    ...MALFORMED_BODY,
    403: 'An API key, or a request from another site',
    404: 'No such key of this owner',
    409: 'The key is not active',
  })
  async revoke(@Req() request: LatchkeyRequest, @Param('id') id: string): Promise<ApiKeyView> {
    const revoked = await this.revokeKey.execute(request.session!.account.id, readKeyId(id), clientOf(request));
    return keyView(revoked, revoked.now);
  }
}

/** Letter case does not matter. A text that cannot be an id gets the answer for an unknown key. */
function readKeyId(id: string): string {
  const keyId = id.toLowerCase();
  if (!isKeyId(keyId)) throw noSuchKey();
  return keyId;
}

/** Stored as sent. Quotes are optional, unlike in the IETF draft "The Idempotency-Key HTTP Header Field". */
function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  requireFields({ 'Idempotency-Key': idempotencyKeyProblem(header) });
  return header;
}

function idempotencyKeyProblem(header: string): string | undefined {
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) return 'must be 1 to 255 visible ASCII characters';
  return withoutSecrets(header) === header ? undefined : 'must not contain an API key: use a new value, such as a UUID';
}

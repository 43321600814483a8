import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type OwnKey, ShowOwnKey } from '#application/validation/show-own-key.js';
import { ACCESS_LEVELS } from '#domain/accounts/access-level.js';
import type { Client } from '#domain/audit/audit-event.js';
import type { Grant } from '#domain/keys/verdict.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { answerToClient, wholeSeconds } from '../../shared/key-answers.js';
import type { HttpDoor } from '../http-door.js';
import { GRANT_HEADERS, KeyRefusals } from '../pipeline/openapi.js';
import { answerKey, sendKeyAnswer, clientAddressOf, type LatchkeyRequest } from '../pipeline/request.js';

class RateLimitView {
  @ApiProperty({ type: 'integer', description: 'Requests that the key may send at once when the limit is full' })
  limit!: number;
  @ApiProperty({ type: 'integer', description: 'Requests that are admitted right now' }) remaining!: number;
  @ApiProperty({ type: 'integer', description: 'Until the limit is full again, rounded up' })
  resetAfterSeconds!: number;
}

class OwnKeyView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ description: 'The account that the key acts as' }) ownerId!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ enum: ACCESS_LEVELS }) access!: string;
  @ApiProperty({ type: [String], description: 'What it may do now' }) permissions!: string[];
  @ApiProperty({ type: [String], nullable: true, description: 'The networks that it may be used from; null: any' })
  allowedNetworks!: string[] | null;
  @ApiProperty({ type: String, format: 'date-time' }) expiresAt!: string;
  @ApiProperty({ type: RateLimitView }) rateLimit!: RateLimitView;
}

function viewOf(grant: Grant, { name, allowedNetworks, rate }: Required<OwnKey>): OwnKeyView {
  const { keyId: id, ownerId, access, permissions, expiresAt } = grant;
  const { limit, remaining, resetAfterMicros } = rate;
  return {
    id,
    ownerId,
    name,
    access,
    permissions: [...permissions],
    allowedNetworks: allowedNetworks && [...allowedNetworks],
    expiresAt: expiresAt.toISOString(),
    rateLimit: { limit: limit.burst, remaining, resetAfterSeconds: wholeSeconds(resetAfterMicros) },
  };
}

/** Answers a client that calls with its own key: what the key may do. */
@ApiTags('key')
@ApiBearerAuth('api_key')
@Controller('v1/key')
class OwnKeyController {
  constructor(
    private readonly showOwnKey: ShowOwnKey,
    private readonly log: Log,
  ) {}

  @Get()
  @ApiOkResponse({ type: OwnKeyView, headers: GRANT_HEADERS })
  @KeyRefusals()
  async show(@Req() request: LatchkeyRequest, @Res() response: Response): Promise<void> {
    const judge = async (credential: string | undefined, client: Client) => {
      const own = await this.showOwnKey.execute(credential, client, clientAddressOf(request));
      const answer = answerToClient(own);
      if (!own.verdict.granted) return answer;
      const body = JSON.stringify(viewOf(own.verdict, own as Required<OwnKey>));
      return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/json' }, body };
    };
    sendKeyAnswer(response, await answerKey(request, { forms: ['bearer'] }, judge, this.log));
  }
}

export const ownKeyDoor: HttpDoor = { controllers: [OwnKeyController] };

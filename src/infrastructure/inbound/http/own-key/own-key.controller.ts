import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  EXPIRY_HEADER,
  INVALID_KEY,
  KEY_LIMITED,
  KEY_UNJUDGED,
  RATE_LIMIT_HEADERS,
} from '../pipeline/key-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { OwnKey } from './own-key.js';
import { OwnKeyView } from './own-key.view.js';

@ApiTags('key')
@ApiBearerAuth('api_key')
@Controller('v1/key')
export class OwnKeyController {
  constructor(private readonly ownKey: OwnKey) {}

  @Get()
  @ApiOkResponse({ type: OwnKeyView, headers: { ...EXPIRY_HEADER, ...RATE_LIMIT_HEADERS } })
  @ApiResponse(INVALID_KEY)
  @ApiResponse(KEY_LIMITED)
  @ApiResponse(KEY_UNJUDGED)
  async show(@Req() request: LatchkeyRequest, @Res() response: Response): Promise<void> {
    const { status, headers, body } = await this.ownKey.answer(request);
    response
      .status(status)
      .setHeaders(new Map(Object.entries(headers)))
      .end(body);
  }
}

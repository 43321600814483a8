import { All, Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiHeader, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { FORWARD_AUTH_MODES, readMode } from './forward-auth-modes.js';
import { ForwardAuth, type ForwardAuthParts } from './forward-auth.js';
import type { HttpDoor } from '../http-door.js';
import { hasBody } from '../pipeline/body-parsing.js';
import { sendKeyAnswer } from '../pipeline/key-requests.js';
import {
  EXPIRY_HEADER,
  INVALID_KEY,
  KEY_FORBIDDEN,
  KEY_LIMITED,
  KEY_UNJUDGED,
  RATE_LIMIT_HEADERS,
  textHeader,
} from '../pipeline/key-responses.js';
import { ProblemResponses } from '../pipeline/problem-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';

const IDENTITY = {
  'X-Latchkey-Owner': textHeader('The account that the key acts as'),
  'X-Latchkey-Key': textHeader("The key's id"),
  'X-Latchkey-Access': textHeader('read-only or read-and-write'),
  'X-Latchkey-Permissions': textHeader('What the key may do, with spaces between; may be empty'),
};

@ApiTags('forward-auth')
@Controller('v1/forward-auth')
class ForwardAuthController {
  constructor(private readonly forwardAuth: ForwardAuth) {}

  /** Every method, because proxies differ in the method that they use. */
  @Get()
  @ApiQuery({ name: 'mode', enum: FORWARD_AUTH_MODES, description: 'Which proxy asks, and so in which headers' })
  @ApiHeader({ name: 'Authorization', description: 'As the client sent it: Bearer <API key>' })
  @ApiHeader({ name: 'X-Original-Method', description: 'nginx: the method; otherwise X-Forwarded-Method' })
  @ApiHeader({ name: 'X-Original-URI', description: 'nginx: path and query; otherwise X-Forwarded-Uri' })
  @ApiOkResponse({ description: 'Let it through', headers: { ...IDENTITY, ...EXPIRY_HEADER, ...RATE_LIMIT_HEADERS } })
  @ApiResponse(INVALID_KEY)
  @ApiResponse({
    ...KEY_FORBIDDEN,
    description: 'A good key that may not do this. nginx: or 429 or 503, as X-Latchkey-Status then says',
  })
  @ApiResponse(KEY_LIMITED)
  @ApiResponse(KEY_UNJUDGED)
  @ProblemResponses({ 400: 'Unknown mode' })
  async ask(@Query('mode') mode: unknown, @Req() request: LatchkeyRequest, @Res() response: Response): Promise<void> {
    const answer = await this.forwardAuth.answer(readMode(mode), request);
    // A body that is announced but never sent must not consume the next request of the connection.
    if (hasBody(request)) response.setHeader('Connection', 'close');
    sendKeyAnswer(response, answer);
  }

  @All()
  @ApiExcludeEndpoint()
  askOtherwise(@Query('mode') mode: unknown, @Req() request: LatchkeyRequest, @Res() response: Response) {
    return this.ask(mode, request, response);
  }
}

export function forwardAuthDoor(parts: ForwardAuthParts): HttpDoor {
  return {
    controllers: [ForwardAuthController],
    instances: [new ForwardAuth(parts)],
    policies: { '/v1/forward-auth': { isAboutAnotherRequest: true } },
  };
}

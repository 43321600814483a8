import { All, Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiHeader, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { FORWARD_AUTH_MODES, readMode } from './forward-auth-modes.js';
import { ForwardAuth } from './forward-auth.js';
import { hasBody } from '../pipeline/body-parsing.js';
import { ProblemResponses } from '../pipeline/problem-responses.js';
import type { LatchkeyRequest } from '../pipeline/request.js';

const text = (description: string) => ({ description, schema: { type: 'string' } as const });
const RATE_LIMIT = {
  'RateLimit-Policy': text('The limit of the key: "key";q=100;w=5'),
  RateLimit: text('What is left of it: "key";r=99;t=1'),
};
const IDENTITY = {
  'X-Latchkey-Owner': text('The account that the key acts as'),
  'X-Latchkey-Key': text("The key's id"),
  'X-Latchkey-Access': text('read-only or read-and-write'),
  'X-Latchkey-Permissions': text('What the key may do, with spaces between; may be empty'),
};
/** What the client with the key may be shown as it is. */
const MESSAGE = {
  'application/json': {
    schema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  },
};

@ApiTags('forward-auth')
@Controller('v1/forward-auth')
export class ForwardAuthController {
  constructor(private readonly forwardAuth: ForwardAuth) {}

  /** Any method will do: proxies differ in the one they ask with. */
  @Get()
  @ApiQuery({ name: 'mode', enum: FORWARD_AUTH_MODES, description: 'Which proxy asks, and so in which headers' })
  @ApiHeader({ name: 'Authorization', description: 'As the client sent it: Bearer <API key>' })
  @ApiHeader({ name: 'X-Original-Method', description: 'nginx: the method; otherwise X-Forwarded-Method' })
  @ApiHeader({ name: 'X-Original-URI', description: 'nginx: path and query; otherwise X-Forwarded-Uri' })
  @ApiOkResponse({ description: 'Let it through', headers: { ...IDENTITY, ...RATE_LIMIT } })
  @ApiResponse({ status: 401, description: 'Invalid API key', content: MESSAGE })
  @ApiResponse({
    status: 403,
    description: 'A good key that may not do this. nginx: or 429 or 503, as X-Latchkey-Status then says',
    headers: { ...RATE_LIMIT, 'WWW-Authenticate': text('Bearer error="insufficient_scope", scope="systems:write"') },
    content: MESSAGE,
  })
  @ApiResponse({
    status: 429,
    description: 'Past the rate limit',
    headers: { ...RATE_LIMIT, 'Retry-After': text('Whole seconds, rounded up') },
    content: MESSAGE,
  })
  @ApiResponse({ status: 503, description: 'A store is down: nobody is let through', content: MESSAGE })
  @ProblemResponses({ 400: 'Unknown mode' })
  async ask(@Query('mode') mode: unknown, @Req() request: LatchkeyRequest, @Res() response: Response): Promise<void> {
    const { status, headers, body } = await this.forwardAuth.answer(readMode(mode), request);
    // A body that is announced but never sent must not swallow the next request of the connection.
    if (hasBody(request)) response.setHeader('Connection', 'close');
    response
      .status(status)
      .setHeaders(new Map(Object.entries(headers)))
      .end(body);
  }

  @All()
  @ApiExcludeEndpoint()
  askOtherwise(@Query('mode') mode: unknown, @Req() request: LatchkeyRequest, @Res() response: Response) {
    return this.ask(mode, request, response);
  }
}

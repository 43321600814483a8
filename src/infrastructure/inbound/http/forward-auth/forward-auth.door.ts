import { All, Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiHeader, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Client } from '#domain/audit/audit-event.js';
import { invalidFields } from '#domain/errors.js';
import { CLOSED, hasBody, headerValues, plainText } from '../../shared/request-facts.js';
import { answerToProxy, type KeyAnswer } from '../../shared/key-answers.js';
import type { ProxyParts, RoutedRequest } from '../../shared/route-table.js';
import { RareLines } from '#infrastructure/telemetry/rare-lines.js';
import type { HttpDoor } from '../http-door.js';
import * as responses from '../pipeline/openapi.js';
import {
  answerKey,
  sendKeyAnswer,
  forwardedAddressOf,
  forwardedHostOf,
  type LatchkeyRequest,
} from '../pipeline/request.js';

const IDENTITY = {
  'X-Latchkey-Owner': responses.textHeader('The account that the key acts as'),
  'X-Latchkey-Key': responses.textHeader("The key's id"),
  'X-Latchkey-Access': responses.textHeader('read-only or read-and-write'),
  'X-Latchkey-Permissions': responses.textHeader('What the key may do, with spaces between; may be empty'),
  'X-Latchkey-Attributes': responses.textHeader(
    'What the platform says of the account, as a dictionary of RFC 9651: tenant="acme", plan="pro". May be empty',
  ),
};

const MAX_LOGGED_PATH = 256;
const NO_ROUTES = 'FORWARD_AUTH_ROUTES is missing, but a proxy calls: without routes every good key gets 403';

/** Answers proxies that call for each request. The service behind the proxy needs to know nothing about keys. */
export class ForwardAuth {
  private readonly lines = new RareLines();

  constructor(private readonly parts: ProxyParts) {}

  /** @param original the request that the proxy received; undefined if that is not clear */
  async answer(original: RoutedRequest | undefined, request: LatchkeyRequest): Promise<KeyAnswer> {
    const { validateKey, log, routes, credentials } = this.parts;
    if (!routes) log.warnOnce(NO_ROUTES);
    const routed = original && routes?.questionFor(original);
    // No key may do what no route names.
    const question = { ...(routed ?? CLOSED), clientAddress: forwardedAddressOf(request) };
    const judge = async (credential: string | undefined, client: Client) =>
      answerToProxy(await validateKey.execute({ credential, question, client }));
    const answer = await answerKey(request, { forms: credentials, host: original?.host }, judge, log);
    if (!routed && answer.status === 403) this.logNoRoute(original, request);
    return answer;
  }

  /** Of a good key only, and once a minute for a path. The audit trail has each refusal either way. */
  private logNoRoute(original: RoutedRequest | undefined, { requestId }: LatchkeyRequest): void {
    const path = plainText(original?.target.split('?', 1)[0], MAX_LOGGED_PATH);
    const method = plainText(original?.method, 16);
    if (this.lines.isDue(`${method} ${path}`)) this.parts.log.info('no-route', { method, path, requestId });
  }
}

const FORWARD_AUTH_MODES = ['nginx', 'caddy', 'traefik', 'haproxy'] as const;
type ForwardAuthMode = (typeof FORWARD_AUTH_MODES)[number];

@ApiTags('forward-auth')
@Controller('v1/forward-auth')
class ForwardAuthController {
  constructor(private readonly forwardAuth: ForwardAuth) {}

  @Get()
  @ApiQuery({
    name: 'mode',
    enum: FORWARD_AUTH_MODES,
    description: 'Which proxy calls, and therefore in which headers',
  })
  @ApiHeader({ name: 'Authorization', description: 'As the client sent it: Bearer <API key>' })
  @ApiHeader({ name: 'X-Original-Method', description: 'nginx: the method; otherwise X-Forwarded-Method' })
  @ApiHeader({ name: 'X-Original-URI', description: 'nginx: path and query; otherwise X-Forwarded-Uri' })
  @ApiOkResponse({ description: 'Let it through', headers: { ...IDENTITY, ...responses.GRANT_HEADERS } })
  @responses.KeyRefusals()
  @ApiResponse({
    ...responses.KEY_FORBIDDEN,
    description:
      'A good key that may not do this. With nginx also instead of 429 and 503, which X-Latchkey-Status then names',
  })
  @responses.ProblemResponses({ 400: 'Unknown mode' })
  async answer(
    @Query('mode') mode: unknown,
    @Req() request: LatchkeyRequest,
    @Res() response: Response,
  ): Promise<void> {
    const known = readMode(mode);
    const answer = await this.forwardAuth.answer(originalOf(request, known), request);
    sendToProxy(request, response, known === 'nginx' ? forNginx(answer) : answer);
  }

  @All()
  @ApiExcludeEndpoint()
  answerOtherMethods(@Query('mode') mode: unknown, @Req() request: LatchkeyRequest, @Res() response: Response) {
    return this.answer(mode, request, response);
  }
}

function readMode(value: unknown): ForwardAuthMode {
  const mode = FORWARD_AUTH_MODES.find((known) => known === value);
  if (mode) return mode;
  throw invalidFields([{ field: 'mode', message: `must be one of ${FORWARD_AUTH_MODES.join(', ')}` }]);
}

/** Undefined unless the proxy sends method and target exactly once each. */
function originalOf(request: LatchkeyRequest, mode: ForwardAuthMode): RoutedRequest | undefined {
  const isNginx = mode === 'nginx';
  const [method, ...methods] = headerValues(request, isNginx ? 'x-original-method' : 'x-forwarded-method');
  const [target, ...targets] = headerValues(request, isNginx ? 'x-original-uri' : 'x-forwarded-uri');
  const isClear = method !== undefined && target !== undefined && methods.length + targets.length === 0;
  return isClear ? { method, target, host: forwardedHostOf(request) } : undefined;
}

export function sendToProxy(request: Request, response: Response, answer: KeyAnswer): void {
  // A body that is announced but never sent must not consume the next request of the connection.
  if (hasBody(request)) response.setHeader('Connection', 'close');
  sendKeyAnswer(response, answer);
}

export function forwardAuthDoor(forwardAuth: ForwardAuth): HttpDoor {
  return {
    controllers: [ForwardAuthController],
    instances: [forwardAuth],
    policies: { '/v1/forward-auth': { isAboutAnotherRequest: true } },
  };
}

/**
 * nginx's auth_request treats every status but 401 and 403 as an error, so the real status is sent in a header. It closes
 * the connection of an answer whose body it does not read.
 */
function forNginx({ status, headers }: KeyAnswer): KeyAnswer {
  if (status !== 429 && status !== 503) return { status, headers, body: undefined };
  return { status: 403, headers: { ...headers, 'X-Latchkey-Status': String(status) }, body: undefined };
}

import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { SIGN_IN_PURPOSES, SignInAtPlatform } from '#application/sessions/sign-in-at-platform.js';
import { SIGN_IN_PROMPTS } from '#application/sign-in-ports.js';
import type { Config } from '#config/config.js';
import type { SignInProblem } from '#domain/accounts/session.js';
import { type ErrorCode, LatchkeyError } from '#domain/errors.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { type HttpDoor, FromConfig } from '../http-door.js';
import { clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { SessionCookie, SignInCookie } from './cookies.js';

const ONWARD = { Location: { description: 'The next page', schema: { type: 'string' } as const } };

/** The result that the settings screen shows, sent in the fragment of its address, which no server and no log sees. */
type Message = 'signed-in' | `signed-in=${'another' | SignInProblem}` | `refused=${string}`;

/** The reason that the page explains, by the error's code. */
const SHOWN: Partial<Record<ErrorCode, string>> = {
  invalid_credentials: 'failed',
  too_many_attempts: 'too_many',
  busy: 'too_many',
};

/** Strangers can cause any number of `too_many`. Only the operator can end `misconfigured`. */
const LEVELS: Readonly<Record<string, 'debug' | 'error'>> = { too_many: 'debug', misconfigured: 'error' };

/** Browsers come here by links and redirects, so every response is a redirect. */
@ApiTags('session')
@Controller('v1/session/oidc')
class PlatformSignInController {
  constructor(
    private readonly signIn: SignInAtPlatform,
    private readonly sessionCookie: SessionCookie,
    private readonly signInCookie: SignInCookie,
    private readonly log: Log,
    @FromConfig() private readonly settings: Pick<Config, 'publicUrl'>,
  ) {}

  @Get()
  @ApiQuery({ name: 'purpose', required: false, enum: SIGN_IN_PURPOSES, description: 'confirmation: sign in again' })
  @ApiQuery({ name: 'prompt', required: false, enum: SIGN_IN_PROMPTS, description: 'select_account: as somebody else' })
  @ApiResponse({ status: 303, description: 'To the platform’s login, or back with the reason', headers: ONWARD })
  async begin(
    @Query('purpose') purpose: unknown,
    @Query('prompt') prompt: unknown,
    @Req() request: LatchkeyRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.orRefuse(response, async () => {
      const token = this.sessionCookie.read(request);
      const known = purpose === 'confirmation' ? 'confirmation' : 'sign-in';
      const chosen = SIGN_IN_PROMPTS.find((each) => each === prompt);
      const { url, underWay } = await this.signIn.begin(known, token, chosen);
      await this.signInCookie.set(response, underWay);
      response.redirect(303, url);
    });
  }

  /** The browser does not send the Strict session cookie from another site. The sign-in cookie names the session. */
  @Get('callback')
  @ApiResponse({ status: 303, description: 'Signed in, or back with the reason', headers: ONWARD })
  async finish(@Req() request: LatchkeyRequest, @Res() response: Response): Promise<void> {
    await this.orRefuse(response, async () => {
      const underWay = await this.signInCookie.take(request, response);
      const answer = new URL(request.originalUrl, 'http://localhost').search;
      const finished = await this.signIn.finish(answer, underWay, clientOf(request));
      if (finished.refusal) return this.land(response, `refused=${finished.refusal}`);
      this.sessionCookie.set(response, finished.token, finished.expiresAt);
      const { problem } = finished;
      const confirmed = problem ? (`signed-in=${problem}` as const) : 'signed-in';
      this.land(response, finished.isExpected ? confirmed : 'signed-in=another');
    });
  }

  /** The person sees a page; the reason goes to the log, for the operators. */
  private async orRefuse(response: Response, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      const shown = error.details.signInFailure ?? SHOWN[error.code] ?? 'unavailable';
      const level = LEVELS[shown] ?? 'warn';
      this.log[level]('a sign-in at the platform failed', { code: error.code, reason });
      this.land(response, `refused=${shown}`);
    }
  }

  /** Redirects the browser back to the settings screen. */
  private land(response: Response, message: Message): void {
    response.redirect(303, `${this.settings.publicUrl}/settings/api-keys#${message}`);
  }
}

/** @param readKey the random bytes that all instances share */
export function platformSignInDoor(
  { publicUrl, oidc }: Pick<Config, 'publicUrl' | 'oidc'>,
  readKey: () => Promise<Uint8Array>,
): HttpDoor {
  if (!oidc) return {};
  return { controllers: [PlatformSignInController], instances: [new SignInCookie(publicUrl, readKey)] };
}

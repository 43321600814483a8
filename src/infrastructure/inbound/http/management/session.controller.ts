import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Administrators } from '#application/administration/administrators.js';
import { Confirmation } from '#application/sessions/confirmation.js';
import { SignIn, SignOut } from '#application/sessions/sign-in.js';
import { ManagedAccounts } from '#application/managed-account.js';
import type { Config } from '#config/config.js';
import { FromConfig } from '../http-door.js';
import { Answers, MALFORMED_BODY, ProblemResponses } from '../pipeline/openapi.js';
import { clientAddressOf, clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { turnAway } from '../pipeline/http-errors.js';
import { SignInBody } from './bodies.js';
import { SessionCookie } from './cookies.js';
import { ForOwners, isAdministrator, SignedOutToo } from './guards.js';
import { ManagedAccountListView, SessionView, SignedOutView } from './views.js';

@ApiTags('session')
@Controller('v1/session')
@ForOwners()
export class SessionController {
  constructor(
    private readonly signIn: SignIn,
    private readonly signOut: SignOut,
    private readonly confirmation: Confirmation,
    private readonly cookie: SessionCookie,
    private readonly administrators: Administrators,
    @FromConfig() private readonly settings: Pick<Config, 'mail' | 'expiryNoticeDays'>,
  ) {}

  /** Also ends the browser's previous session, so that a cookie planted in it does not outlive the sign-in. */
  @Post()
  @HttpCode(204)
  @SignedOutToo()
  @ApiNoContentResponse({ description: 'Signed in; the session is in the cookie' })
  @ProblemResponses({
    ...MALFORMED_BODY,
    400: 'Invalid or unknown fields',
    401: 'Incorrect email or password, or an invalid API key',
    403: 'An API key, or a request from another site',
    429: 'Too many attempts, or an API key past its rate limit',
  })
  async open(
    @Body() { email, password }: SignInBody,
    @Req() request: LatchkeyRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const { token, expiresAt } = await this.signIn.execute(email, password, clientOf(request)).catch(turnAway);
    await this.endPresented(request);
    this.cookie.set(response, token, expiresAt);
  }

  @Get()
  @Answers(SessionView)
  show(@Req() request: LatchkeyRequest) {
    const { account, expiresAt } = request.session!;
    const { id: ownerId, email, displayName } = account;
    const confirmation = this.confirmation.kindFor(account);
    const { mail, expiryNoticeDays } = this.settings;
    return {
      ownerId,
      email,
      displayName,
      expiresAt: expiresAt.toISOString(),
      confirmation,
      expiryNoticeDays: mail ? expiryNoticeDays : [],
      clientIp: clientAddressOf(request),
      isAdministrator: isAdministrator(request, this.administrators),
    };
  }

  @Delete()
  @HttpCode(204)
  @SignedOutToo()
  @ApiOkResponse({ type: SignedOutView, description: 'Signed out here. The page then opens the URL' })
  @ApiNoContentResponse({ description: 'Signed out' })
  @ProblemResponses({
    ...MALFORMED_BODY,
    401: 'Invalid API key',
    403: 'An API key, or a request from another site',
  })
  async close(
    @Req() request: LatchkeyRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedOutView | undefined> {
    const signOutUrl = await this.endPresented(request);
    this.cookie.clear(response);
    if (signOutUrl === undefined) return undefined;
    response.status(200);
    return { signOutUrl };
  }

  private async endPresented(request: LatchkeyRequest): Promise<string | undefined> {
    const token = this.cookie.read(request);
    return token ? this.signOut.execute(token) : undefined;
  }
}

@ApiTags('accounts')
@Controller('v1/accounts')
@ForOwners()
export class AccountsController {
  constructor(private readonly managed: ManagedAccounts) {}

  @Get()
  @Answers(ManagedAccountListView)
  async list(@Req() { session }: LatchkeyRequest) {
    const accounts = await this.managed.list(session!.account);
    return { items: accounts.map(({ id, displayName, kind, status }) => ({ id, displayName, kind, status })) };
  }
}

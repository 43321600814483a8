import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiCookieAuth, ApiHeader, ApiQuery, ApiSecurity } from '@nestjs/swagger';
import type { Response } from 'express';
import { Administrators } from '#application/administration/administrators.js';
import { IdentifyOwner } from '#application/sessions/sign-in.js';
import type { Session } from '#application/sign-in-ports.js';
import { ValidateKey } from '#application/validation/validate-key.js';
import { type Acting, ManagedAccounts } from '#application/managed-account.js';
import { LatchkeyError, nothingHere, requireFields } from '#domain/errors.js';
import type { Account } from '#domain/accounts/account.js';
import { headerValues, readBearer } from '../../shared/request-facts.js';
import { denialError, insufficientScope, rateLimitHeaders } from '../../shared/key-answers.js';
import { ProblemResponses } from '../pipeline/openapi.js';
import { clientAddressOf, clientOf, type LatchkeyRequest } from '../pipeline/request.js';
import { SessionCookie } from './cookies.js';

/** The id of the person whom the page showed when they decided. */
const PERSON = 'latchkey-person';

const OF_PERSON = {
  name: 'Latchkey-Person',
  required: false,
  description: 'The id of the person whom the page shows. Another person gets 409, another_person, and nothing is done',
};

/** Somebody else may have signed in in another window since then. */
function requirePerson(request: LatchkeyRequest, { account }: Session): void {
  if (headerValues(request, PERSON).every((id) => id === account.id)) return;
  throw new LatchkeyError('another_person', 'Somebody else is signed in now, so nothing was done');
}

const REFUSED_KEY = { 403: 'An API key', 429: 'An API key that exceeds its rate limit' };

/** For routes that also serve people who are not signed in. An Authorization header is still checked there. */
export const SignedOutToo = () => applyDecorators(SetMetadata(SignedOutToo, true), ApiSecurity({}));

/** Each request needs a session or a token of the platform's own login, of a person. */
export const ForOwners = () =>
  applyDecorators(
    UseGuards(OwnerGuard),
    ApiCookieAuth(),
    ApiBearerAuth('platform_token'),
    ApiHeader(OF_PERSON),
    ProblemResponses({ ...REFUSED_KEY, 401: 'Not signed in' }),
  );

/** Each request needs the session of an administrator at the settings screen. Other people find nothing there. */
export const ForAdministrators = () =>
  applyDecorators(
    SetMetadata(ForAdministrators, true),
    UseGuards(OwnerGuard),
    ApiCookieAuth(),
    ProblemResponses({
      ...REFUSED_KEY,
      401: 'An invalid API key',
      404: 'Not an administrator at the settings screen, or no such key',
    }),
  );

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** An API key can never manage keys. It is refused for administrators' routes as everywhere. */
@Injectable()
class OwnerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly identify: IdentifyOwner,
    private readonly validateKey: ValidateKey,
    private readonly cookie: SessionCookie,
    private readonly administrators: Administrators,
    private readonly managed: ManagedAccounts,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<LatchkeyRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const authorization = headerValues(request, 'authorization');
    const isForAdministrators = this.reflector.get(ForAdministrators, context.getClass()) === true;
    const isSignedOutToo = this.reflector.get(SignedOutToo, context.getHandler()) === true;
    if (authorization.length === 0 && isSignedOutToo) return true;
    const byBearer = authorization.length > 0;
    const session = byBearer ? await this.byBearer(authorization, request, response) : await this.byCookie(request);
    if (!session && isForAdministrators) throw nothingHere();
    if (!session) throw new LatchkeyError('unauthenticated', 'Sign in first: POST /v1/session');
    requirePerson(request, session);
    request.session = session;
    if (isForAdministrators && !isAdministrator(request, this.administrators)) throw nothingHere();
    const isForKeysOfAccount = this.reflector.get(ForKeysOfAccount, context.getClass()) === true;
    if (isForKeysOfAccount) request.owner = await this.ownerOf(request, session.account);
    return true;
  }

  private ownerOf({ query }: LatchkeyRequest, person: Account): Promise<Account> {
    const id: unknown = query['account'] ?? person.id;
    requireFields({ account: typeof id === 'string' ? undefined : 'must be given once' });
    return this.managed.find(person, id as string);
  }

  private async byCookie(request: LatchkeyRequest): Promise<Session | undefined> {
    const token = this.cookie.read(request);
    return token ? this.identify.bySession(token, clientOf(request)) : undefined;
  }

  /** A JWT is a platform token and identifies its person. Anything else is validated as an API key. */
  private async byBearer(authorization: string[], request: LatchkeyRequest, response: Response): Promise<Session> {
    const credential = readBearer(authorization);
    const client = clientOf(request);
    if (credential !== undefined && this.identify.acceptsPlatformTokens && JWT.test(credential)) {
      const session = await this.identify.byPlatformToken(credential, client);
      if (session) return session;
      throw new LatchkeyError('unauthenticated', 'The token is not valid here');
    }
    const clientAddress = clientAddressOf(request);
    const question = { operation: 'manage-api-keys', permission: '', clientAddress } as const;
    const { verdict, rate } = await this.validateKey.execute({ credential, question, client });
    if (rate) response.set(rateLimitHeaders(rate));
    // A grant is impossible here. If there ever were one, a key would still not be a person.
    const reason = verdict.granted ? 'operation-not-allowed' : verdict.reason;
    if (reason === 'operation-not-allowed') response.set('WWW-Authenticate', insufficientScope({}));
    throw denialError(reason, rate);
  }
}

/** A token of the platform's own login identifies a person too, but not one who is at the screen. */
export function isAdministrator(request: LatchkeyRequest, administrators: Administrators): boolean {
  const hasSessionOnly = headerValues(request, 'authorization').length === 0;
  return hasSessionOnly && administrators.includes(request.session!.account);
}

const ACCOUNT = {
  name: 'account',
  required: false,
  description: 'The id of a service account that the person manages: see GET /v1/accounts. Default: their own account',
  schema: { type: 'string' },
} as const;

/** Each request is about the keys of one account: the person's own, or one that `?account=` names. */
export const ForKeysOfAccount = () =>
  applyDecorators(
    SetMetadata(ForKeysOfAccount, true),
    ForOwners(),
    ApiQuery(ACCOUNT),
    ProblemResponses({ 400: 'Invalid query', 404: 'No such account that the person manages' }),
  );

/** The account whose keys the request is about. A change checks it again when it has locked it. */
export function ownerIn({ owner }: LatchkeyRequest): Account {
  return owner!;
}

export function actingIn({ session, owner }: LatchkeyRequest): Acting {
  return { personId: session!.account.id, ownerId: owner!.id };
}

import { applyDecorators, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiCookieAuth } from '@nestjs/swagger';
import { Administrators } from '../../../../application/administration/administrators.js';
import { IdentifyOwner } from '../../../../application/sessions/identify-owner.js';
import { ValidateKey } from '../../../../application/validation/validate-key.js';
import { LatchkeyError, nothingHere } from '../../../../domain/errors.js';
import { SessionCookie } from '../management/cookies.js';
import { hasSessionOnly, isAdministrator, OwnerGuard } from '../management/owner.guard.js';
import type { LatchkeyRequest } from '../pipeline/request.js';

/** Each request needs the session of an administrator at the settings screen. */
export const ForAdministrators = () => applyDecorators(UseGuards(AdministratorGuard), ApiCookieAuth());

/** Other people get the answer for an address that does not exist. An API key is refused as everywhere. */
@Injectable()
export class AdministratorGuard extends OwnerGuard {
  constructor(
    reflector: Reflector,
    identify: IdentifyOwner,
    validateKey: ValidateKey,
    cookie: SessionCookie,
    private readonly administrators: Administrators,
  ) {
    super(reflector, identify, validateKey, cookie);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<LatchkeyRequest>();
    await super.canActivate(context).catch((error: unknown) => {
      const isSignedOut = hasSessionOnly(request) && (error as LatchkeyError).code === 'unauthenticated';
      throw isSignedOut ? nothingHere() : error;
    });
    if (isAdministrator(request, this.administrators)) return true;
    throw nothingHere();
  }
}

import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../../../../config/config.js';
import type { HttpDoor } from '../http-door.js';
import { nothingHere } from '../../../../domain/errors.js';
import { AccountsController } from './accounts.controller.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AuditEventsController } from './audit-events.controller.js';
import { SessionCookie } from './cookies.js';
import { PermissionsController } from './permissions.controller.js';
import { ExpiryMails, SessionController } from './session.controller.js';

type Settings = Pick<Config, 'publicUrl' | 'passwordSignIn' | 'mail' | 'expiryNoticeDays'>;

/** How people manage their keys, from the settings screen or from a page of the platform. */
export function managementDoor({ publicUrl, passwordSignIn, mail, expiryNoticeDays }: Settings): HttpDoor {
  return {
    controllers: [
      SessionController,
      AccountsController,
      ApiKeysController,
      PermissionsController,
      AuditEventsController,
    ],
    instances: [new SessionCookie(publicUrl), new ExpiryMails(mail ? expiryNoticeDays : [])],
    policies: { '/v1/session': { handlers: passwordSignIn ? [] : [unlessPasswords] } },
  };
}

function unlessPasswords(request: Request, _response: Response, next: NextFunction): void {
  next(request.method === 'POST' && request.path === '/' ? nothingHere() : undefined);
}

import type { NextFunction, Request, Response } from 'express';
import type { Config } from '#config/config.js';
import { nothingHere } from '#domain/errors.js';
import { type HttpDoor, notServed } from '../http-door.js';
import { AccountsController, SessionController } from './session.controller.js';
import { ApiKeysController, AuditEventsController, PermissionsController } from './api-keys.controller.js';
import { SessionCookie } from './cookies.js';
import { AdminController } from './admin.controller.js';

type Settings = Pick<Config, 'publicUrl' | 'passwordSignIn' | 'adminPermission'>;

/**
 * How people manage their keys, from the settings screen or from a page of the platform, and how administrators see and
 * end the keys of all owners.
 */
export function managementDoor({ publicUrl, passwordSignIn, adminPermission }: Settings): HttpDoor {
  return {
    controllers: [
      SessionController,
      AccountsController,
      ApiKeysController,
      PermissionsController,
      AuditEventsController,
      AdminController,
    ],
    instances: [new SessionCookie(publicUrl)],
    policies: {
      '/v1/session': { handlers: passwordSignIn ? [] : [noPasswords] },
      '/v1/admin': { handlers: adminPermission === undefined ? [notServed] : [] },
    },
  };
}

function noPasswords(request: Request, _response: Response, next: NextFunction): void {
  next(request.method === 'POST' && request.path === '/' ? nothingHere() : undefined);
}

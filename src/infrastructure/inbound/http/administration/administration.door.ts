import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../../../../config/config.js';
import { nothingHere } from '../../../../domain/errors.js';
import type { HttpDoor } from '../http-door.js';
import { AdminAccountsController, AdminAuditController, AdminKeysController } from './admin.controllers.js';

/** How administrators see and end the keys of all owners, on the settings screen. */
export function administrationDoor({ adminPermission }: Pick<Config, 'adminPermission'>): HttpDoor {
  return {
    controllers: [AdminKeysController, AdminAccountsController, AdminAuditController],
    policies: { '/v1/admin': { handlers: adminPermission === undefined ? [closed] : [] } },
  };
}

function closed(_request: Request, _response: Response, next: NextFunction): void {
  next(nothingHere());
}

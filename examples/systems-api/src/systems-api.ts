import type { Guard } from '@latchkey/guard';
import express, { type Express } from 'express';
import { answerError, unknownPath } from './http-errors.js';
import { Inventory } from './inventory.js';
import { systemsRoutes } from './systems-routes.js';

export const systemsPath = '/backend/api/systems';

/** Builds the service. The guard decides who may call it, and as whom. */
export function createSystemsApi(guard: Pick<Guard, 'protect'>, inventory = Inventory.seeded()): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/livez', (_req, res) => {
    res.json({ status: 'ok' });
  });
  app.use(
    systemsPath,
    // First, and for the whole path, so that without a good key no body is read and the existing systems are not revealed.
    guard.protect({ read: 'systems:read', write: 'systems:write' }),
    express.json({ limit: '16kb' }),
    systemsRoutes(inventory),
  );
  app.use(unknownPath);
  app.use(answerError);
  return app;
}

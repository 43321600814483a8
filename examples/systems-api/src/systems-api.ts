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
  app.use(systemsPath, systemsRoutes(guard, inventory));
  app.use(unknownPath);
  app.use(answerError);
  return app;
}

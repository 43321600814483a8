import { principalOf } from '@latchkey/guard';
import { Router } from 'express';
import { changesIn, newDescription } from './description.js';
import { HttpError } from './http-errors.js';
import type { Inventory } from './inventory.js';

export function systemsRoutes(inventory: Inventory): Router {
  const routes = Router();

  routes.get('/', (_req, res) => {
    res.json({ items: inventory.list() });
  });

  routes.get('/:id', (req, res) => {
    res.json(inventory.find(req.params.id) ?? unknownSystem());
  });

  routes.post('/', (req, res) => {
    const system = inventory.commission(newDescription(req.body), principalOf(req).ownerId);
    res.status(201).location(`${req.baseUrl}/${system.id}`).json(system);
  });

  routes.patch('/:id', (req, res) => {
    res.json(inventory.change(req.params.id, changesIn(req.body), principalOf(req).ownerId) ?? unknownSystem());
  });

  // The guard lets no API key reach this: permanent deletion is for people.
  routes.delete('/:id', (req, res) => {
    if (!inventory.decommission(req.params.id)) unknownSystem();
    res.status(204).end();
  });

  return routes;
}

function unknownSystem(): never {
  throw new HttpError(404, 'no such system');
}

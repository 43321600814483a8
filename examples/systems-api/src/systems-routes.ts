import { type Guard, principalOf } from '@latchkey/guard';
import { json, Router } from 'express';
import { changesIn, newDescription } from './description.js';
import { HttpError } from './http-errors.js';
import type { Inventory } from './inventory.js';

/** Each route is guarded before its body is read, so that without a good key nothing shows which systems exist. */
export function systemsRoutes({ protect }: Pick<Guard, 'protect'>, inventory: Inventory): Router {
  const routes = Router();
  const body = json({ limit: '16kb' });

  routes.get('/', protect('systems:read'), (_req, res) => {
    res.json({ items: inventory.list() });
  });

  // A key may be limited to one system: `systems/sys-1:read`.
  routes.get('/:id', protect('systems/{id}:read'), (req, res) => {
    res.json(inventory.find(req.params.id) ?? unknownSystem());
  });

  routes.post('/', protect('systems:write'), body, (req, res) => {
    const system = inventory.commission(newDescription(req.body), principalOf(req).ownerId);
    res.status(201).location(`${req.baseUrl}/${system.id}`).json(system);
  });

  routes.patch('/:id', protect('systems/{id}:write'), body, (req, res) => {
    res.json(inventory.change(req.params.id, changesIn(req.body), principalOf(req).ownerId) ?? unknownSystem());
  });

  // The guard lets no API key reach this: permanent deletion is for people.
  routes.delete('/:id', protect('systems/{id}:write'), (req, res) => {
    if (!inventory.decommission(req.params.id)) unknownSystem();
    res.status(204).end();
  });

  // No stranger learns which paths exist.
  routes.use(protect({ read: 'systems:read', write: 'systems:write' }));

  return routes;
}

function unknownSystem(): never {
  throw new HttpError(404, 'no such system');
}

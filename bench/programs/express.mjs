// An Express service with the same handler twice: behind a guard with leases, and without any guard.
import express from 'express';
import { createGuard } from '../../clients/node/dist/clients/node/src/index.js';
import { takeOrders } from '../lib/orders.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';

const target = /** @type {string} */ (process.env['BENCH_TARGET']);
const guard = createGuard({ target, serviceToken: SERVICE_TOKEN, deadlineMs: 5000, leases: true });
const systems = ['First', 'Second', 'Third'].map((name, n) => ({ id: `sys-${n}`, name, tags: ['eu', 'production'] }));

const app = express();
/** @type {import('express').RequestHandler} */
const answer = (_request, response) => void response.json({ items: systems });
app.get('/open', answer);
app.get('/guarded', guard.protect('systems:read'), answer);
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  takeOrders({ port }, async () => guard.leases());
});

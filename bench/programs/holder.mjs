// A guard with leases. Each order is a key, which it checks until a lease answers, or three times.
import { createGuard } from '../../clients/node/dist/index.js';
import { guardQuestion } from '../lib/proto.mjs';
import { takeOrders } from '../lib/orders.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';

let source = '';
const guard = createGuard({
  target: /** @type {string} */ (process.env['BENCH_TARGET']),
  serviceToken: SERVICE_TOKEN,
  leases: true,
  deadlineMs: 5000,
  onDecision: (decision) => (source = decision.source),
});

takeOrders({}, async ({ key }) => {
  for (let turn = 0; turn < 3; turn += 1) {
    const sentAt = performance.now();
    const { allowed } = await guard.check(guardQuestion(key));
    if (!allowed) throw new Error('a key was refused');
    if (source === 'lease') return { fromLease: 1, ms: performance.now() - sentAt };
  }
  return { fromLease: 0 };
});

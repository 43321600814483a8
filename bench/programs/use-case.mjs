// The use case with its real adapters, wired as in the service, called without a server.
import { readConfig } from '../../dist/config/config.js';
import { startLatchkey } from '../../dist/composition/start.js';
import { freePort } from '../../scripts/lib/ports.mjs';
import { randomKeys } from '../lib/keys.mjs';
import { closedLoop, takeOrders } from '../lib/orders.mjs';
import { UNLIMITED } from '../lib/service.mjs';

const [httpPort, grpcPort] = [await freePort(), await freePort()];
const env = { DEMO: '1', LOG_LEVEL: 'warn', HTTP_PORT: String(httpPort), GRPC_PORT: String(grpcPort) };
const { useCases } = await startLatchkey(readConfig({ ...UNLIMITED, ...process.env, ...env }));
const question = { operation: 'read', permission: 'systems:read' };
const client = { ip: '192.0.2.1', userAgent: 'curl/8.5.0', requestId: 'bench' };

const keys = randomKeys(Number(process.env['BENCH_KEYS']));

takeOrders({ url: `http://127.0.0.1:${httpPort}`, target: `127.0.0.1:${grpcPort}` }, async (load) => {
  let granted = 0;
  const measured = await closedLoop(load, async (n) => {
    const { verdict } = await useCases.validateKey.execute({ credential: keys[n % keys.length], question, client });
    if (verdict.granted) granted += 1;
  });
  return { granted, perSecond: granted / measured.seconds };
});

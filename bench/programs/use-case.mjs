// The use case with its real adapters, wired as in the service, called without a server.
import { readConfig } from '../../dist/config/config.js';
import { startLatchkey } from '../../dist/composition/start.js';
import { freePort } from '../../scripts/lib/ports.mjs';
import { randomKeys, unknownKey } from '../lib/keys.mjs';
import { closedLoop, takeOrders } from '../lib/orders.mjs';
import { UNLIMITED } from '../lib/service.mjs';

const [httpPort, grpcPort] = [await freePort(), await freePort()];
const { useCases } = await startLatchkey(
  readConfig({
    ...UNLIMITED,
    ...process.env,
    DEMO: '1',
    LOG_LEVEL: 'warn',
    HTTP_PORT: String(httpPort),
    GRPC_PORT: String(grpcPort),
  }),
);
const { validateKey } = useCases;
const question = { operation: 'read', permission: 'systems:read' };
const client = { ip: '192.0.2.1', userAgent: 'curl/8.5.0', requestId: 'bench' };

const known = randomKeys(Number(process.env['BENCH_KEYS']));
const unknown = known.map((_, n) => unknownKey(n));

/**
 * `withUnknown`: each call is accompanied by one with a key that does not exist. The next call does not wait for it,
 * since its answer waits for a commit of the audit log, but the measurement ends only when all are answered.
 */
takeOrders({ httpPort, grpcPort }, async ({ concurrency, seconds, withUnknown = false }) => {
  const began = performance.now();
  const counts = { granted: 0, refused: 0 };
  /** @type {Set<Promise<void>>} */
  const unanswered = new Set();
  const askUnknown = (/** @type {number} */ n) => {
    const asked = validateKey.execute({ credential: unknown[n % unknown.length], question, client }).then(() => {
      counts.refused += 1;
      unanswered.delete(asked);
    });
    unanswered.add(asked);
  };
  await closedLoop({ concurrency, seconds }, async (n) => {
    if (withUnknown) askUnknown(n);
    const { verdict } = await validateKey.execute({ credential: known[n % known.length], question, client });
    if (verdict.granted) counts.granted += 1;
  });
  await Promise.all(unanswered);
  const answers = counts.granted + counts.refused;
  return { ...counts, perSecond: (answers * 1000) / (performance.now() - began) };
});

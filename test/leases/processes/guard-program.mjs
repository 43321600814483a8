// A service behind a guard with leases, without the service: checks keys all the time and reports every decision.
// A line in: `{ keys }`, the key strings to check from now on. Lines out: `{ ready }`, then `{ decisions }`.
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createGuard } from '@latchkey/guard';

/** @typedef {{ target: string, leases: boolean, paceMs: number, permissions: string[] }} Options */
/** @type {Options} */
const { target, leases, paceMs, permissions } = JSON.parse(process.argv[2] ?? '');
const REPORT_EVERY_MS = 50;

/** @type {Map<string, string>} by request id */
const sources = new Map();
const guard = createGuard({
  target,
  leases,
  serviceToken: 'dev-validator-token',
  logFailures: false,
  onDecision: ({ requestId, source }) => sources.set(requestId, source),
});

/** One clock for all processes of the machine. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** @type {Set<string>} */
let keys = new Set();
/** @type {object[]} */
let decisions = [];
let count = 0;

/** @param {string} key */
async function watch(key) {
  while (keys.has(key)) {
    const permission = permissions[(count += 1) % permissions.length] ?? '';
    const requestId = `${count}`;
    const startedAt = now();
    const decision = await guard.check({ authorization: [`Bearer ${key}`], method: 'GET', permission, requestId });
    const endedAt = now();
    const isFromLease = sources.get(requestId) === 'lease';
    sources.delete(requestId);
    const { keyId, permissions: granted, attributes } = decision.allowed ? decision.principal : {};
    const status = decision.allowed ? 200 : decision.status;
    decisions.push({
      startedAt,
      endedAt,
      isFromLease,
      status,
      permission,
      keyId,
      granted,
      version: attributes?.version,
    });
    await pause(paceMs);
  }
}

setInterval(() => {
  if (decisions.length > 0) write({ decisions });
  decisions = [];
}, REPORT_EVERY_MS);

/** @param {object} message */
function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

createInterface(process.stdin)
  .on('line', (line) => {
    /** @type {{ keys: string[] }} */
    const message = JSON.parse(line);
    const added = message.keys.filter((key) => !keys.has(key));
    keys = new Set(message.keys);
    for (const key of added) void watch(key);
  })
  .on('close', () => process.exit(0));
write({ ready: true });

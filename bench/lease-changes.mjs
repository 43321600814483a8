// What leases cost a revoke: `node bench/lease-changes.mjs`. Two services on one machine take turns, one of them with leases.
// Each revoked key was checked just before by guards in three processes, so that with leases each of them holds one.
import { openLab } from './lib/lab.mjs';
import { start } from './lib/process.mjs';
import { insertDoomed } from './lib/seed.mjs';
import { cookieOf, startService } from './lib/service.mjs';
import { median, percentile } from './lib/statistics.mjs';

const LEASE_MS = 2000;
const HOLDERS = 3;
const ROUNDS = 15;
const REVOKES = 20;
const FROZEN_ROUNDS = 5;

/** @param {string} databaseUrl @param {number} leaseMs */
async function openSide(databaseUrl, leaseMs) {
  const service = await startService(databaseUrl, { LEASE_MS: String(leaseMs) });
  const holders = await Promise.all(
    Array.from({ length: HOLDERS }, () =>
      start('programs/holder.mjs', { env: { BENCH_TARGET: service.target }, isServer: false }),
    ),
  );
  const headers = { cookie: await cookieOf(service.url) };
  /** Revokes keys, each after every holder has checked it. @param {number} count @param {() => void} [then] */
  const revoke = async (count, then) => {
    const times = [];
    let held = 0;
    for (const { id, key } of await insertDoomed(databaseUrl, count)) {
      for (const holder of holders) held += (await holder.send({ key })).fromLease;
      then?.();
      const sentAt = performance.now();
      const { status } = await fetch(`${service.url}/v1/api-keys/${id}/revoke`, { method: 'POST', headers });
      times.push(performance.now() - sentAt);
      if (status !== 200) throw new Error(`a revoke was answered ${status}`);
    }
    return { times, held };
  };
  const stop = async () => {
    for (const holder of holders) await holder.stop();
    await service.stop();
  };
  return { revoke, holders, stop };
}

const lab = await openLab();
try {
  const without = await openSide(await lab.database(1000), 0);
  const leases = await openSide(await lab.database(1000), LEASE_MS);
  await without.revoke(REVOKES);
  await leases.revoke(REVOKES);
  /** @type {{ without: number, leases: number }[]} */
  const rounds = [];
  const held = { without: 0, leases: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    /** @type {Record<string, number>} */
    const medians = {};
    const sides = /** @type {const} */ ([
      ['without', without],
      ['leases', leases],
    ]);
    for (const [name, side] of round % 2 === 0 ? sides : sides.toReversed()) {
      const done = await side.revoke(REVOKES);
      medians[name] = median(done.times);
      held[name] += done.held;
    }
    rounds.push(/** @type {{ without: number, leases: number }} */ (medians));
  }
  const ratios = rounds.map((round) => round.leases / round.without);
  const more = rounds.map((round) => round.leases - round.without);
  const quartiles = (/** @type {number[]} */ values) =>
    `${median(values).toFixed(2)} (quartiles ${percentile(values, 0.25).toFixed(2)} to ${percentile(values, 0.75).toFixed(2)})`;
  console.log(`${ROUNDS} rounds of ${REVOKES} revokes, ${HOLDERS} holders, LEASE_MS=${LEASE_MS}`);
  console.log(`checks from leases before the revokes: ${held.leases} with leases, ${held.without} without`);
  console.log(`a revoke without leases, median ms: ${median(rounds.map((round) => round.without)).toFixed(2)}`);
  console.log(`a revoke with leases, median ms: ${median(rounds.map((round) => round.leases)).toFixed(2)}`);
  console.log(`with ÷ without, at most 2: ${quartiles(ratios)}`);
  console.log(`ms more, at most 10: ${quartiles(more)}`);

  const [frozen] = leases.holders;
  const waits = [];
  for (let round = 0; round < FROZEN_ROUNDS; round += 1) {
    const { times } = await leases.revoke(1, () => process.kill(frozen.pid, 'SIGSTOP'));
    process.kill(frozen.pid, 'SIGCONT');
    waits.push(times[0]);
  }
  console.log(
    `a revoke with a frozen holder, ms, at most ${1.02 * LEASE_MS + 50}: ${waits.map(Math.round).join(', ')}`,
  );
  await leases.stop();
  await without.stop();
} finally {
  await lab.close();
}

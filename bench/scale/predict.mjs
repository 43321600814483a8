import { at, linesOf } from './model.mjs';

/**
 * What a run of two instances on one machine must come to, by what one instance was measured to cost.
 * @param {any} costs
 * @param {{ inFlight: number, instances: number, cores: number }} shape `cores`: those that no other program took
 */
export function predict(costs, { inFlight, instances, cores }) {
  const lines = linesOf(costs);
  const batch = batchOf(costs.streams, inFlight / instances);
  const micros = {
    service: at(lines.streamsWithRedis, batch),
    postgres: at(lines.read, batch),
    redis: at(lines.redis, batch),
    client: at(lines.client, batch),
  };
  const all = Object.values(micros).reduce((sum, each) => sum + each, 0);
  return { perSecond: (cores * 1e6) / all, batch, micros };
}

/**
 * Between two numbers in flight that were measured, on a straight line of their logarithms.
 * @param {readonly { concurrency: number, batch: number }[]} loads in order @param {number} inFlight
 */
function batchOf(loads, inFlight) {
  const next = Math.max(
    1,
    loads.findIndex(({ concurrency }) => concurrency >= inFlight),
  );
  const above = next < loads.length ? next : loads.length - 1;
  const [low, high] = [loads[above - 1], loads[above]];
  const share = Math.log(inFlight / low.concurrency) / Math.log(high.concurrency / low.concurrency);
  return low.batch * (high.batch / low.batch) ** share;
}

import { between } from './model.mjs';

/**
 * What several instances that share everything else must come to, by what one was measured to cost with as many keys a read.
 * @param {any} results of results/check.json: the loads that one instance was under, `paced` and `crowded`
 * @param {{ perSecond?: number, inFlight?: number, instances: number, measured: import('./model.mjs').Load }} shape
 */
export function predict({ paced, crowded }, { perSecond, measured }) {
  const each = between(perSecond === undefined ? crowded : paced, 'batch', measured.batch);
  if (perSecond !== undefined) return { perSecond, ...each };
  // What else the run is known for is how much CPU its processes got together.
  return { ...each, perSecond: (measured.perSecond * sum(measured.micros)) / sum(each.micros) };
}

/** @param {Readonly<Record<string, number>>} micros */
const sum = (micros) => Object.values(micros).reduce((total, each) => total + each, 0);

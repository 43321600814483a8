import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';

/** Where suites start processes, wait for connections or show pages: the slowest first. */
const SLOW = [
  'test/conformance',
  'test/workers',
  'test/packages',
  'test/faults',
  'test/failover',
  'test/leases',
  'test/browser',
  'test/launcher',
  'test/cli',
  'test/doors',
  'clients/node/src/grpc',
  'web/test',
];

/** The order of the suites: the slowest come first, so that all workers end at about the same time. */
export default class LongestFirst {
  /**
   * @template {{ readonly path: string }} Suite
   * @param {Iterable<Suite>} suites
   * @returns {Suite[]}
   */
  sort(suites) {
    const ranked = [...suites].map((suite) => ({ suite, rank: rankOf(suite.path), size: statSync(suite.path).size }));
    return ranked.sort((one, other) => one.rank - other.rank || other.size - one.size).map(({ suite }) => suite);
  }

  /** Jest would use its own measurements, which another machine does not have. */
  cacheResults() {}
}

/** @param {string} path */
function rankOf(path) {
  const place = SLOW.findIndex((folder) => relative(root, path).startsWith(`${folder}/`));
  return place === -1 ? SLOW.length : place;
}

import { figure, markdown } from '../../lib/markdown.mjs';
import { bytesAKey, costAt, fit } from '../model.mjs';

/** CPU a validation, in processes that are kept busy. @param {any} costs */
export function cpu({ streams, redis, unary }) {
  return markdown(
    [
      'in flight',
      'keys a read',
      'service, over streams',
      'the same, limits in Redis',
      'single calls',
      'Redis',
      'the guard',
    ],
    streams.map((/** @type {any} */ each, /** @type {number} */ n) => [
      String(each.concurrency),
      each.batch,
      each.micros.service,
      redis[n].micros.service,
      unary[n].micros.service,
      redis[n].micros.redis,
      each.micros.client,
    ]),
  );
}

/** The measured cost of PostgreSQL, next to the fitted line. @param {any} costs */
export function reads(costs) {
  const [read, behindBarrier] = [fit(costs.reads), fit(costs.barrier)];
  return markdown(
    [
      `keys a read, out of ${costs.keys.toLocaleString('en')}`,
      'µs of PostgreSQL a key',
      'the line',
      'with a barrier',
      'the line',
    ],
    costs.reads.map((/** @type {any} */ { batch, micros }, /** @type {number} */ n) => [
      String(batch),
      micros,
      costAt(read, batch),
      costs.barrier[n].micros,
      costAt(behindBarrier, batch),
    ]),
  );
}

/** Bytes stored, sent and logged. @param {any} costs */
export function sizes(costs) {
  const { stored, bytes: sent, wal, usage } = costs;
  const row = (/** @type {string} */ table) => stored[table].tableBytes + stored[table].indexBytes;
  return markdown(
    ['what', 'bytes'],
    [
      ['a stored key, with a fifth of its account and all indexes', bytesAKey(stored)],
      [
        'what a key did: its last use, and for each address and each day',
        ['api_key_usage', 'api_key_addresses', 'api_key_days'].map((table) => figure(row(table))).join(', '),
      ],
      ['an event of the record, with its indexes', row('audit_events')],
      ['a validation between guard and service, both ways', sent.guard],
      ['a validation between service and PostgreSQL', sent.postgres],
      ['a validation between service and Redis', sent.redis],
      ['WAL of a creation', wal.creation],
      ['WAL of a revocation', wal.revocation],
      [
        'WAL of a failed authentication, alone and of ten at once',
        `${figure(wal.failure)}, ${figure(wal.failureOfTen)}`,
      ],
      ['WAL of a seal', wal.seal],
      ['WAL of a commit that is a barrier', costs.commits[0].walBytes],
      ['WAL of what a key did, written once', usage.walBytes],
      ['the same right after a checkpoint, with images of pages', usage.walBytesAfterCheckpoint],
    ],
  );
}

/** Commits that wait for the disk. @param {any} costs */
export function commits(costs) {
  return markdown(
    ['connections that commit', 'commits a second', 'writes to disk a second', 'µs of CPU a commit'],
    costs.commits.map((/** @type {any} */ each) => [
      String(each.connections),
      each.commitsPerSecond,
      each.syncsPerSecond,
      each.micros,
    ]),
  );
}

/** One process at different rates. @param {any} costs */
export function paces(costs) {
  return markdown(
    ['validations a second of one process', 'its share of a core', 'keys a read', 'µs of PostgreSQL', 'µs of Redis'],
    costs.paced.map((/** @type {any} */ { perSecond, batch, micros }) => [
      perSecond,
      `${figure((perSecond * micros.service) / 1e4)} %`,
      batch,
      micros.postgres,
      micros.redis,
    ]),
  );
}

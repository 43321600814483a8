import { columnsOf, figure, markdown } from '../../lib/markdown.mjs';
import { bytesAKey, costAt, fit } from '../model.mjs';

/** CPU a validation, in processes that are kept busy. @param {any} costs */
export const cpu = ({ streams, redis, unary }) =>
  columnsOf(streams, [
    ['in flight', ({ concurrency }) => String(concurrency)],
    ['keys a read', ({ batch }) => batch],
    ['service, over streams', ({ micros }) => micros.service],
    ['the same, limits in Redis', (_, n) => redis[n].micros.service],
    ['single calls', (_, n) => unary[n].micros.service],
    ['Redis', (_, n) => redis[n].micros.redis],
    ['the guard', ({ micros }) => micros.client],
  ]);

/** The measured cost of PostgreSQL, next to the fitted line. @param {any} costs */
export function reads({ keys, reads: plain, barrier }) {
  const [read, behindBarrier] = [fit(plain), fit(barrier)];
  return columnsOf(plain, [
    [`keys a read, out of ${keys.toLocaleString('en')}`, ({ batch }) => String(batch)],
    ['µs of PostgreSQL a key', ({ micros }) => micros],
    ['the line', ({ batch }) => costAt(read, batch)],
    ['with a barrier', (_, n) => barrier[n].micros],
    ['the line', ({ batch }) => costAt(behindBarrier, batch)],
  ]);
}

/** Bytes stored, sent and logged. @param {any} costs */
export function sizes({ stored, bytes: sent, wal, usage, commits: [barrier] }) {
  const row = (/** @type {string} */ table) => stored[table].tableBytes + stored[table].indexBytes;
  const rowsOfUsage = ['api_key_usage', 'api_key_addresses', 'api_key_days'].map(row);
  const failures = [wal.failure, wal.failureOfTen];
  return markdown(
    ['what', 'bytes'],
    [
      ['a stored key, with a fifth of its account and all indexes', bytesAKey(stored)],
      ['what a key did: its last use, and for each address and each day', rowsOfUsage.map(figure).join(', ')],
      ['an event of the audit trail, with its indexes', row('audit_events')],
      ['a validation between guard and service, both ways', sent.guard],
      ['a validation between service and PostgreSQL', sent.postgres],
      ['a validation between service and Redis', sent.redis],
      ['WAL of a creation', wal.creation],
      ['WAL of a revocation', wal.revocation],
      ['WAL of a failed authentication, alone and of ten at once', failures.map(figure).join(', ')],
      ['WAL of a seal', wal.seal],
      ['WAL of a commit that is a barrier', barrier.walBytes],
      ['WAL of what a key did, written once', usage.walBytes],
      ['the same right after a checkpoint, with images of pages', usage.walBytesAfterCheckpoint],
    ],
  );
}

/** Commits that wait for the disk. @param {any} costs */
export const commits = (costs) =>
  columnsOf(costs.commits, [
    ['connections that commit', ({ connections }) => String(connections)],
    ['commits a second', ({ commitsPerSecond }) => commitsPerSecond],
    ['writes to disk a second', ({ syncsPerSecond }) => syncsPerSecond],
    ['µs of CPU a commit', ({ micros }) => micros],
  ]);

/** One process at different rates. @param {any} costs */
export const paces = ({ paced }) =>
  columnsOf(paced, [
    ['validations a second of one process', ({ perSecond }) => perSecond],
    ['its share of a core', ({ perSecond, micros }) => `${figure((perSecond * micros.service) / 1e4)} %`],
    ['keys a read', ({ batch }) => batch],
    ['µs of PostgreSQL', ({ micros }) => micros.postgres],
    ['µs of Redis', ({ micros }) => micros.redis],
  ]);

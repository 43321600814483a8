import { figure, markdown } from './markdown.mjs';
import { at, bytesAKey, linesOf } from '../model.mjs';

const BATCHES = [1, 10, 100, 500];

/** CPU a validation. @param {any} costs */
export function cpu(costs) {
  const lines = linesOf(costs);
  const who = {
    'PostgreSQL, a read': lines.read,
    'the same with `READ_BARRIER=on`': lines.readWithBarrier,
    'the service, over streams': lines.streams,
    'the same, limits in Redis': lines.streamsWithRedis,
    'the service, single calls': lines.unary,
    Redis: lines.redis,
    'the guard': lines.client,
  };
  return markdown(
    ['µs of CPU a validation, in batches of', ...BATCHES.map(String)],
    Object.entries(who).map(([name, line]) => [name, ...BATCHES.map((batch) => at(line, batch))]),
  );
}

/** What PostgreSQL was measured to cost, beside the line through it. @param {any} costs */
export function reads(costs) {
  const { read, readWithBarrier } = linesOf(costs);
  return markdown(
    ['keys a read', 'measured, µs a key', 'the model', 'with the barrier, measured', 'the model'],
    costs.reads.map((/** @type {any} */ { batch, micros }, /** @type {number} */ n) => [
      String(batch),
      micros,
      at(read, batch),
      costs.barrier[n].micros,
      at(readWithBarrier, batch),
    ]),
  );
}

/** Bytes that are stored, sent and logged. @param {any} costs */
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

/** What one process is like at a pace. @param {any} costs */
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

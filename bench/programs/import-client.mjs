// A client that imports keys on one stream, or validates keys of one kind, as it is ordered.
import { randomUUID } from 'node:crypto';
import grpc from '@grpc/grpc-js';
import { foreignKey, importRequest } from '../lib/foreign-keys.mjs';
import { keyNumber, ownerOf } from '../lib/keys.mjs';
import { closedLoop, takeOrders } from '../lib/orders.mjs';
import { AccountService, ApiKeyService, question } from '../lib/proto.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';

const target = /** @type {string} */ (process.env['BENCH_TARGET']);
const credentials = grpc.credentials.createInsecure();
const accounts = new AccountService(target, credentials);
const validations = [1, 2].map(() => new ApiKeyService(target, credentials, { 'grpc.use_local_subchannel_pool': 1 }));

/** What a client of each kind sends. @type {Record<string, (n: number) => string>} */
const KINDS = {
  own: keyNumber,
  imported: foreignKey,
  /** Begins like an import and is none. */
  mistyped: (n) => `${foreignKey(n).slice(0, -1)}!`,
  /** Begins like no import. */
  other: (n) => `other_${foreignKey(n)}`,
};

/** @param {string} token */
function bearer(token) {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

/**
 * Each ten-thousandth one has no permissions, and is refused.
 * @param {{ from: number, to: number, owners: number }} range
 */
async function importAll({ from, to, owners }) {
  const began = performance.now();
  const stream = accounts.ImportKeys(bearer('dev-importer-token'));
  const counts = { imported: 0, refused: 0 };
  const ended = new Promise((resolve, reject) => {
    stream.on('data', (/** @type {{ error: string }} */ { error }) => (counts[error ? 'refused' : 'imported'] += 1));
    stream.on('end', resolve).on('error', reject);
  });
  for (let n = from; n < to; n += 1) {
    const part = n % 10_000 === 5000 ? { permissions: [] } : {};
    if (!stream.write({ ...importRequest(n, ownerOf(n % (owners * 5))), ...part })) {
      await new Promise((resolve) => stream.once('drain', resolve));
    }
  }
  stream.end();
  await ended;
  return { seconds: (performance.now() - began) / 1000, ...counts, clientMegabytes: process.memoryUsage.rss() / 1e6 };
}

/** @param {{ kind: string, stored: number, concurrency: number, seconds: number }} order */
async function validateAll({ kind, stored, ...load }) {
  const counts = { granted: 0, refused: 0 };
  const metadata = bearer(SERVICE_TOKEN);
  const keyOf = KINDS[kind];
  const call = (/** @type {number} */ n) =>
    new Promise((resolve, reject) => {
      const key = keyOf(Math.floor(Math.random() * stored));
      const request = { ...question(key), requestId: randomUUID() };
      validations[n % 2].ValidateKey(request, metadata, (/** @type {any} */ error, /** @type {any} */ answer) => {
        if (error) return reject(error);
        counts[answer.outcome === 'grant' ? 'granted' : 'refused'] += 1;
        resolve(undefined);
      });
    });
  return { ...(await closedLoop(load, call)), ...counts };
}

takeOrders({}, ({ does, ...order }) => (does === 'import' ? importAll(order) : validateAll(order)));

// Revokes keys during a measurement. A grant in a call that began after a revoke was answered breaks a promise.
import grpc from '@grpc/grpc-js';
import { takeOrders } from '../lib/orders.mjs';
import { ApiKeyService, question } from '../lib/proto.mjs';
import { insertDoomed } from '../lib/seed.mjs';
import { cookieOf, SERVICE_TOKEN } from '../lib/service.mjs';

const PAUSE_MS = 100;
const DOOMED = 2000;

const url = process.env['BENCH_URL'];
const client = new ApiKeyService(process.env['BENCH_TARGET'], grpc.credentials.createInsecure());
const metadata = new grpc.Metadata();
metadata.set('authorization', `Bearer ${SERVICE_TOKEN}`);

const tally = { revoked: 0, grantsBefore: 0, grantsAfter: 0, unanswered: 0 };
const doomed = await insertDoomed(/** @type {string} */ (process.env['DATABASE_URL']), DOOMED);
const cookie = await cookieOf(url);

/** @param {string} key @returns {Promise<boolean | undefined>} undefined: no verdict */
const granted = (key) =>
  new Promise((resolve) => {
    client.ValidateKey(question(key), metadata, (/** @type {any} */ error, /** @type {any} */ answer) =>
      resolve(error ? undefined : answer.outcome === 'grant'),
    );
  });

/** @param {{ id: string, key: string }} doomed */
async function revokeOne({ id, key }) {
  if (await granted(key)) tally.grantsBefore += 1;
  const response = await fetch(`${url}/v1/api-keys/${id}/revoke`, { method: 'POST', headers: { cookie } });
  if (response.status !== 200) {
    tally.unanswered += 1;
    return;
  }
  tally.revoked += 1;
  for (const verdict of await Promise.all([granted(key), granted(key), granted(key)])) {
    if (verdict === true) tally.grantsAfter += 1;
    if (verdict === undefined) tally.unanswered += 1;
  }
}

async function revokeAll() {
  for (const each of doomed) {
    await revokeOne(each);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

void revokeAll();
takeOrders({}, async () => tally);

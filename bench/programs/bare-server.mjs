// The cost of a gRPC call that does nothing: grpc-js with the service's channel options, the messages of ValidateKey and a
// fixed answer. With BENCH_DATABASE_URL, a call also reads its key, by the service's own statement and two connections of
// pg. lib/process.mjs starts it with the service's Node flags and memory settings.
import grpc from '@grpc/grpc-js';
import pg from 'pg';
import { readKeys } from '../../dist/infrastructure/outbound/postgres/keys/read-keys.js';
import { publicPartOf } from '../lib/keys.mjs';
import { CHANNEL_OPTIONS } from '../../dist/infrastructure/inbound/grpc/channel-options.js';
import { takeOrders } from '../lib/orders.mjs';
import { ApiKeyService } from '../lib/proto.mjs';

const answer = {
  requestId: 'bench',
  grant: {
    keyId: '00000000-0000-4000-8000-000000000000',
    ownerId: 'owner-0',
    access: 'ACCESS_LEVEL_READ_AND_WRITE',
    permissions: ['systems:read', 'systems:write'],
    expiresAt: { seconds: 1_800_000_000, nanos: 0 },
  },
  rateLimit: { limit: 1_000_000, remaining: 999_999, resetAfter: { seconds: 0, nanos: 1000 } },
};

const connectionString = process.env['BENCH_DATABASE_URL'];
const connections = connectionString ? [1, 2].map(() => new pg.Client({ connectionString })) : [];
await Promise.all(connections.map((connection) => connection.connect()));
const statement = { name: 'read_keys', text: readKeys({ readBarrier: false, pooling: 'session' }).text };
let calls = 0;

/** @param {string} authorization @param {(error: unknown, answer?: object) => void} done */
function answerAfterRead(authorization, done) {
  const values = [publicPartOf(authorization.slice('Bearer '.length))];
  connections[(calls += 1) % connections.length].query({ ...statement, values }).then(() => done(null, answer), done);
}

const server = new grpc.Server(CHANNEL_OPTIONS);
server.addService(ApiKeyService.service, {
  ValidateKey: (/** @type {any} */ call, /** @type {any} */ done) =>
    connections.length > 0 ? answerAfterRead(call.request.authorization, done) : done(null, answer),
});
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  takeOrders({ port }, async () => ({}));
});

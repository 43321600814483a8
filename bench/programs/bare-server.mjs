// The cost of a gRPC call that does nothing: grpc-js with the service's channel options, the messages of ValidateKey and a
// fixed answer. lib/process.mjs starts it with the service's Node flags and memory settings.
import grpc from '@grpc/grpc-js';
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

const server = new grpc.Server(CHANNEL_OPTIONS);
server.addService(ApiKeyService.service, {
  ValidateKey: (/** @type {any} */ _call, /** @type {any} */ callback) => callback(null, answer),
});
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  takeOrders({ port }, async () => ({}));
});

import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

/** Loaded as in README's ten-line client. */
const definition = protoLoader.loadSync('latchkey/v1/api_key_service.proto', {
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
  includeDirs: [fileURLToPath(new URL('../../proto', import.meta.url))],
});
export const { ApiKeyService } = /** @type {any} */ (grpc.loadPackageDefinition(definition)).latchkey.v1;

const REQUEST = { permission: 'systems:read', clientIp: '192.0.2.1', userAgent: 'curl/8.5.0' };

/** The question that the benchmark sends about a key. @param {string} key */
export const question = (key) => ({
  ...REQUEST,
  requestId: 'bench',
  authorization: `Bearer ${key}`,
  operation: 'OPERATION_READ',
});

/** The same question for the guard. @param {string} key */
export const guardQuestion = (key) => ({ ...REQUEST, authorization: [`Bearer ${key}`], method: 'GET' });

/** One gRPC message with the five bytes before it, as it is sent over HTTP/2. @param {string} key */
export function questionFrame(key) {
  const message = ApiKeyService.service.ValidateKey.requestSerialize(question(key));
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, 5);
  return frame;
}

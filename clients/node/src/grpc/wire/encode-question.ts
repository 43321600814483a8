import type { Operation } from '../../operation.js';
import type { PreparedQuestion } from '../../question.js';

// The numbers of the enum Operation in api_key_service.proto.
const operations: Readonly<Record<Operation, number>> = {
  READ: 1,
  WRITE: 2,
  DESTROY: 3,
  MANAGE_API_KEYS: 4,
  MANAGE_ACCOUNT: 5,
  IMPERSONATE: 6,
};

// The tag before a value on the wire: field number and wire type (2 is a text with its length, 0 a number).
const requestIdTag = (1 << 3) | 2;
const authorizationTag = (3 << 3) | 2;
const operationTag = 4 << 3;
const permissionTag = (5 << 3) | 2;
const clientIpTag = (6 << 3) | 2;
const userAgentTag = (7 << 3) | 2;

/**
 * Encodes a question as a ValidateKeyRequest (https://protobuf.dev/programming-guides/encoding/). Written by hand,
 * since every request of the resource service pays for it: it takes a fraction of the time of the general encoder.
 */
export function encodeQuestion(question: PreparedQuestion): Buffer {
  const { requestId, authorization, permission, clientIp, userAgent } = question;
  const requestIdSize = Buffer.byteLength(requestId);
  const authorizationSize = Buffer.byteLength(authorization);
  const permissionSize = Buffer.byteLength(permission);
  const clientIpSize = Buffer.byteLength(clientIp);
  const userAgentSize = Buffer.byteLength(userAgent);
  // An empty text is left out, except for the authorization: its presence says which credential this is.
  const bytes = Buffer.allocUnsafe(
    2 +
      sizeOf(authorizationSize) +
      (requestIdSize && sizeOf(requestIdSize)) +
      (permissionSize && sizeOf(permissionSize)) +
      (clientIpSize && sizeOf(clientIpSize)) +
      (userAgentSize && sizeOf(userAgentSize)),
  );
  let at = 0;
  if (requestIdSize) at = writeText(bytes, at, requestIdTag, requestId, requestIdSize);
  at = writeText(bytes, at, authorizationTag, authorization, authorizationSize);
  bytes[at++] = operationTag;
  bytes[at++] = operations[question.operation];
  if (permissionSize) at = writeText(bytes, at, permissionTag, permission, permissionSize);
  if (clientIpSize) at = writeText(bytes, at, clientIpTag, clientIp, clientIpSize);
  if (userAgentSize) writeText(bytes, at, userAgentTag, userAgent, userAgentSize);
  return bytes;
}

/** The bytes of a text, with its tag and its length. */
function sizeOf(size: number): number {
  let lengthBytes = 1;
  for (let rest = size; rest > 0x7f; rest >>>= 7) lengthBytes += 1;
  return 1 + lengthBytes + size;
}

function writeText(bytes: Buffer, start: number, tag: number, text: string, size: number): number {
  let at = start;
  bytes[at++] = tag;
  let rest = size;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  bytes.write(text, at, size, 'utf8');
  return at + size;
}

import protobuf from 'protobufjs/light.js';
import { contract } from '../generated/contract.js';
import { Operation } from '../generated/latchkey/v1/Operation.js';
import type { ValidateKeyResponse__Output as Answer } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import type { PreparedQuestion } from '../question.js';

/** The methods of latchkey.v1.ApiKeyService, as HTTP/2 paths. */
export const unaryPath = '/latchkey.v1.ApiKeyService/ValidateKey';
export const streamPath = '/latchkey.v1.ApiKeyService/ValidateKeys';

const root = protobuf.Root.fromJSON(contract);
const questions = root.lookupType('latchkey.v1.ValidateKeyRequest');
const answers = root.lookupType('latchkey.v1.ValidateKeyResponse');

/** A question as a ValidateKeyRequest. */
export function encodeQuestion(question: PreparedQuestion): Buffer {
  const message = { ...question, operation: Operation[`OPERATION_${question.operation}`] };
  // In Node.js, protobufjs writes into a Buffer.
  return questions.encode(message).finish() as Buffer;
}

/**
 * Reads the bytes of a ValidateKeyResponse. Fields that a newer service adds are left out.
 *
 * @throws {Error} the bytes are no ValidateKeyResponse
 */
export function decodeAnswer(bytes: Buffer): Answer {
  return answers.decode(bytes) as unknown as Answer;
}

/** For calls whose messages are bytes already. */
export function asItIs(bytes: Buffer): Buffer {
  return bytes;
}

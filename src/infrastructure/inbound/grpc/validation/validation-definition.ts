import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadProto } from '../protos.js';
import { encodeAnswer } from './encode-answer.js';
import type { WireAnswer, WireQuestion } from './validation-messages.js';

export const VALIDATION_PROTO = 'latchkey/v1/api_key_service.proto';

const root = loadProto(VALIDATION_PROTO);
const Question = root.lookupType('latchkey.v1.ValidateKeyRequest');
const Answer = root.lookupType('latchkey.v1.ValidateKeyResponse');

/**
 * The messages of the validation path, without the conversions that proto-loader makes around the same codec: they
 * cost as much as reading and writing the bytes does.
 */
const messages = {
  requestSerialize: (question: WireQuestion) => Buffer.from(Question.encode(question).finish()),
  requestDeserialize: readQuestion,
  responseSerialize: encodeAnswer,
  responseDeserialize: (bytes: Buffer) => Answer.decode(bytes) as unknown as WireAnswer,
};

function readQuestion(bytes: Buffer): WireQuestion {
  const question = Question.decode(bytes) as unknown as WireQuestion & { readAt: number };
  question.readAt = performance.now();
  return question;
}

const path = (method: string) => `/latchkey.v1.ApiKeyService/${method}`;

export const VALIDATION_SERVICE: ServiceDefinition<UntypedServiceImplementation> = {
  ValidateKey: { path: path('ValidateKey'), requestStream: false, responseStream: false, ...messages },
  ValidateKeys: { path: path('ValidateKeys'), requestStream: true, responseStream: true, ...messages },
};

/** The numbers of an enum's values, by name; the generated type of an enum is its names or its numbers. */
export function numbersOf<Value extends string | number>(enumName: string) {
  return root.lookupEnum(`latchkey.v1.${enumName}`).values as Readonly<Record<Extract<Value, string>, number>>;
}

import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { encodeAnswer } from './encode-answer.js';
import { loadProto } from '../protos.js';

/** A question as it arrives: absent fields are empty, enums are their numbers, known or not. */
export interface WireQuestion {
  readonly requestId: string;
  /** Which of the two the caller set, if any. */
  readonly credential?: 'apiKey' | 'authorization';
  readonly apiKey: string;
  readonly authorization: string;
  readonly operation: number;
  readonly permission: string;
  readonly clientIp: string;
  readonly userAgent: string;
}

/** Durations and timestamps. */
export interface WireTime {
  readonly seconds: number;
  readonly nanos: number;
}

export interface WireGrant {
  readonly keyId: string;
  readonly ownerId: string;
  readonly access: number;
  readonly permissions: readonly string[];
  readonly expiresAt: WireTime;
}

export interface WireDenial {
  readonly reason: number;
  readonly httpStatus: number;
  readonly message: string;
  readonly retryAfter: WireTime | undefined;
}

export interface WireRateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAfter: WireTime;
}

export interface WireAnswer {
  readonly requestId: string;
  readonly grant?: WireGrant;
  readonly denial?: WireDenial;
  readonly failure?: { readonly code: number; readonly message: string };
  readonly rateLimit?: WireRateLimit | undefined;
}

const root = loadProto('latchkey/v1/api_key_service.proto');
const Question = root.lookupType('latchkey.v1.ValidateKeyRequest');
const Answer = root.lookupType('latchkey.v1.ValidateKeyResponse');

/**
 * The messages of the validation path, without the conversions that proto-loader makes around the same codec: they
 * cost as much as reading and writing the bytes does.
 */
const messages = {
  requestSerialize: (question: WireQuestion) => Buffer.from(Question.encode(question).finish()),
  requestDeserialize: (bytes: Buffer) => Question.decode(bytes) as unknown as WireQuestion,
  responseSerialize: encodeAnswer,
  responseDeserialize: (bytes: Buffer) => Answer.decode(bytes) as unknown as WireAnswer,
};

const path = (method: string) => `/latchkey.v1.ApiKeyService/${method}`;

export const VALIDATION_SERVICE: ServiceDefinition<UntypedServiceImplementation> = {
  ValidateKey: { path: path('ValidateKey'), requestStream: false, responseStream: false, ...messages },
  ValidateKeys: { path: path('ValidateKeys'), requestStream: true, responseStream: true, ...messages },
};

/** The numbers of an enum's values, by name; the generated type of an enum is its names or its numbers. */
export function numbersOf<Value extends string | number>(enumName: string) {
  return root.lookupEnum(`latchkey.v1.${enumName}`).values as Readonly<Record<Extract<Value, string>, number>>;
}

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PreparedQuestion } from '../../question.js';
import { loadContract } from '../load-contract.js';
import { decodeAnswer } from './decode-answer.js';
import { encodeQuestion } from './encode-question.js';

const { ValidateKeys } = loadContract().ApiKeyService.service;
const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const uint32 = fc.nat({ max: 2 ** 32 - 1 });
const time = fc.record({ seconds: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String), nanos: int32 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const operations = ['READ', 'WRITE', 'DESTROY', 'MANAGE_API_KEYS', 'MANAGE_ACCOUNT', 'IMPERSONATE'] as const;
const question: fc.Arbitrary<PreparedQuestion> = fc.record({
  requestId: text,
  authorization: fc.string({ unit: 'grapheme', maxLength: 5000 }),
  operation: fc.constantFrom(...operations),
  permission: text,
  clientIp: text,
  userAgent: text,
});

// 99 is a value that this guard has no name for.
const grant = fc.record({
  keyId: text,
  ownerId: text,
  access: fc.constantFrom(0, 1, 2, 99),
  permissions: fc.array(text, { maxLength: 5 }),
  expiresAt: optional(time),
  attributes: fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }),
});
const reason = fc.oneof(fc.nat({ max: 9 }), fc.constantFrom(99, -1));
const denial = fc.record({
  reason,
  httpStatus: uint32,
  message: text,
  retryAfter: optional(time),
  keyId: text,
  ownerId: text,
});
const failure = fc.record({ code: int32, message: text });
const texts = fc.array(text, { maxLength: 3 });
const lease = fc.record({
  lengthMs: uint32,
  uses: uint32,
  hasOwnPermissions: fc.boolean(),
  allowedNetworks: texts,
});
const rateLimit = optional(
  fc.record({ limit: uint32, remaining: uint32, resetAfter: optional(time), window: optional(time) }),
);
const answer = fc
  .tuple(
    fc.record({ requestId: text, rateLimit, lease: optional(lease) }),
    fc.oneof(fc.record({ grant }), fc.record({ denial }), fc.record({ failure }), fc.constant({})),
  )
  .map(([common, outcome]) => ({ ...common, ...outcome }));

describe('the wire format', () => {
  it('encodes every question as the contract defines', () => {
    fc.assert(
      fc.property(question, fc.option(fc.integer({ min: 1, max: 2 ** 31 }), { nil: undefined }), (sent, uses) => {
        const read = ValidateKeys.requestDeserialize(encodeQuestion(sent, uses));
        const understands = ['KEY_RESTRICTION_PERMISSIONS', 'KEY_RESTRICTION_NETWORKS'];
        const leases = { leaseWish: uses === undefined ? null : { uses, understands } };
        const operation = `OPERATION_${sent.operation}`;
        expect(read).toEqual({ ...sent, ...leases, operation, credential: 'authorization' });
      }),
    );
  });

  it('decodes every answer as the contract defines', () => {
    fc.assert(
      fc.property(answer, (given) => {
        const bytes = ValidateKeys.responseSerialize(given as never);
        expect(decodeAnswer(bytes)).toEqual(ValidateKeys.responseDeserialize(bytes));
      }),
    );
  });

  it('skips fields of a newer service', () => {
    const bytes = ValidateKeys.responseSerialize({ requestId: 'id', failure: { code: 14, message: 'away' } });
    // Fields 100 to 103: a number, eight bytes, a text, four bytes.
    const news = Buffer.from('a0069601a9060000000000000000b206026162bd0600000000', 'hex');
    expect(decodeAnswer(Buffer.concat([news, bytes]))).toEqual(ValidateKeys.responseDeserialize(bytes));
  });

  it('refuses a truncated answer', () => {
    const whole = ValidateKeys.responseSerialize({ denial: { message: 'no', retryAfter: { seconds: 300, nanos: 1 } } });
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => decodeAnswer(whole.subarray(0, length))).toThrow(RangeError);
    }
  });

  it('decodes random bytes or throws a RangeError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeAnswer(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

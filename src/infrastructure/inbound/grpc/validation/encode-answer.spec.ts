import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeAnswer } from './encode-answer.js';
import { VALIDATION_SERVICE } from './validation-definition.js';
import { type WireAnswer } from './validation-messages.js';

const { responseDeserialize } = VALIDATION_SERVICE['ValidateKey']!;

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 120, maxLength: 140 }), fc.constant(''));
const whole = (max: number) =>
  fc.oneof(
    fc.nat(max),
    fc.constantFrom(0, 1, 127, 128, 16_383, 16_384).filter((n) => n <= max),
  );
const time = fc.record({ seconds: whole(253_402_300_799), nanos: whole(999_999_999) });
const grant = fc.record({
  keyId: text,
  ownerId: text,
  access: whole(2),
  permissions: fc.oneof(fc.array(text), fc.array(text, { minLength: 200, maxLength: 300 })),
  expiresAt: time,
});
const denial = fc.record({
  reason: whole(9),
  httpStatus: whole(429),
  message: text,
  retryAfter: fc.option(time, { nil: undefined }),
  keyId: text,
  ownerId: text,
});
const rateLimit = fc.record({ limit: whole(1_000_000), remaining: whole(1_000_000), resetAfter: time });
const failure = fc.record({ code: whole(16), message: text });
const outcome = fc.oneof(
  fc.record({ grant }),
  fc.record({ denial }),
  fc.record({ failure }),
  fc.record({ grant, rateLimit }),
  fc.record({ denial, rateLimit }),
);
const answers: fc.Arbitrary<WireAnswer> = fc
  .tuple(text, outcome)
  .map(([requestId, rest]) => ({ requestId, ...rest }) as WireAnswer);

/** What a decoder of the library reads, with nothing that stands for "absent". */
function read(bytes: Buffer): unknown {
  const message = responseDeserialize(bytes) as { toJSON(): object };
  return (message.constructor as unknown as { toObject(m: unknown, o: object): unknown }).toObject(message, {
    longs: Number,
    defaults: true,
    arrays: true,
  });
}

describe('an answer as bytes', () => {
  test('is read by the library as it was meant, whatever it holds', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const told = JSON.parse(JSON.stringify(answer)) as WireAnswer;
        const expected = { rateLimit: null, ...told };
        if (expected.denial && !expected.denial.retryAfter) Object.assign(expected.denial, { retryAfter: null });
        expect(read(encodeAnswer(answer))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test.each([127, 128, 16_383, 16_384, 2_097_152])('of %d bytes within is as long as it says', (length) => {
    const answer: WireAnswer = { requestId: '', failure: { code: 0, message: 'x'.repeat(length) } };
    expect(read(encodeAnswer(answer))).toMatchObject({ failure: { message: answer.failure!.message } });
  });
});

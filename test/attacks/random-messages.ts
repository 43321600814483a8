import fc from 'fast-check';
import { unknownKey } from '../support/callers/key-strings.js';

/** Ordinary text, and text that databases, terminals and parsers may handle wrongly. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\0', 'a\0b', '\r\n', '\uD800', '\u202E', '{}', 'systems:read', 'a@b.c', 'u-1', 'Bearer x'),
  fc.constant(unknownKey()),
  fc.constant('x'.repeat(5000)),
);

/** A number as protobuf writes it, with seven bits in each byte. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

const tag = (field: number, wireType: number) => varint(field * 8 + wireType);

/** A field that most of our messages know; sometimes one that is written wrongly. */
const field = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 7 }), text).map(([number, value]) => {
      const bytes = Buffer.from(value);
      return [...tag(number, 2), ...varint(bytes.length), ...bytes];
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 7 }), fc.oneof(fc.nat({ max: 7 }), fc.maxSafeNat()))
      .map(([number, value]) => [...tag(number, 0), ...varint(value)]),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat({ max: 7 })).map(([number, type]) => tag(number, type)),
  },
);

/** The bytes of one message: fields of every kind in any order, or bytes that are not protobuf. */
export const bytesOfMessages: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: fc.array(field, { maxLength: 8 }).map((fields) => Uint8Array.from(fields.flat())) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
);

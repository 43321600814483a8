import { expect, test } from '@jest/globals';
import { AUTHORIZATION_SERVICE, type WireCheck } from './envoy/check-messages.js';
import { VALIDATION_SERVICE, type WireQuestion } from './validation/validation-messages.js';

/** The same bytes, with 0xff for each `#`: UTF-8 never contains that byte. */
const spoilt = (bytes: Buffer) => Buffer.from(bytes.map((byte) => (byte === 0x23 ? 0xff : byte)));

test('reads a question with invalid UTF-8, with U+FFFD for the bad bytes', () => {
  const { requestSerialize, requestDeserialize } = VALIDATION_SERVICE['ValidateKey']!;
  const bytes = spoilt(requestSerialize({ credential: 'authorization', authorization: 'Bearer #', userAgent: 'a#b' }));
  const read = requestDeserialize(bytes) as WireQuestion;
  expect([read.authorization, read.userAgent]).toEqual(['Bearer \uFFFD', 'a\uFFFDb']);
});

test('reads a check of Envoy with invalid UTF-8, because an error could let the request through', () => {
  const { requestSerialize, requestDeserialize } = AUTHORIZATION_SERVICE['Check']!;
  const http = { method: 'GET', headers: [{ key: 'user-agent', value: '#' }] };
  const read = requestDeserialize(spoilt(requestSerialize({ attributes: { request: { http } } }))) as WireCheck;
  expect(read.attributes?.request?.http?.headers[0]?.value).toBe('\uFFFD');
});

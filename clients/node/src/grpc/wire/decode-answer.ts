import type { ValidateKeyResponse__Output as Answer } from '../../generated/latchkey/v1/ValidateKeyResponse.js';
import { readDenial, readFailure, readGrant, readRateLimit } from './decode-outcomes.js';
import { readLease, readRecall } from './decode-leases.js';
import { MessageReader } from './message-reader.js';

/**
 * Decodes a ValidateKeyResponse into the same object as proto-loader, at a fraction of its cost. Unknown fields, which
 * a newer service may send, are left out.
 *
 * @throws {RangeError} the bytes are not a ValidateKeyResponse
 */
export function decodeAnswer(bytes: Buffer): Answer {
  const answer: Answer = { requestId: '', rateLimit: null, lease: null, recall: null };
  const reader = new MessageReader(bytes);
  while (reader.at < bytes.length) {
    const tag = reader.uint32();
    if (tag === 0x0a) answer.requestId = reader.text();
    else if (tag === 0x12) answer.grant = readGrant(reader, reader.end());
    else if (tag === 0x1a) answer.denial = readDenial(reader, reader.end());
    else if (tag === 0x22) answer.rateLimit = readRateLimit(reader, reader.end());
    else if (tag === 0x2a) answer.failure = readFailure(reader, reader.end());
    else if (tag === 0x32) answer.lease = readLease(reader, reader.end());
    else if (tag === 0x3a) answer.recall = readRecall(reader, reader.end());
    else reader.skip(tag);
  }
  reader.arriveAt(bytes.length);
  // An answer has exactly one of these. If it had two, the less generous one would count.
  if (answer.grant) answer.outcome = 'grant';
  if (answer.denial) answer.outcome = 'denial';
  if (answer.failure) answer.outcome = 'failure';
  return answer;
}

import type { ValidateKeyResponse__Output as Answer } from '../../generated/latchkey/v1/ValidateKeyResponse.js';
import type { Lease__Output as Lease } from '../../generated/latchkey/v1/Lease.js';
import { readDenial, readFailure, readGrant, readRateLimit } from './decode-outcomes.js';
import { MessageReader } from './message-reader.js';

/**
 * Decodes a ValidateKeyResponse into the same object as proto-loader, at a fraction of its cost. Unknown fields, which
 * a newer service may send, are left out.
 *
 * @throws {RangeError} the bytes are not a ValidateKeyResponse
 */
export function decodeAnswer(bytes: Buffer): Answer {
  const answer: Answer = { requestId: '', rateLimit: null, lease: null };
  const reader = new MessageReader(bytes);
  while (reader.at < bytes.length) {
    const tag = reader.uint32();
    if (tag === 0x0a) answer.requestId = reader.text();
    else if (tag === 0x12) answer.grant = readGrant(reader, reader.end());
    else if (tag === 0x1a) answer.denial = readDenial(reader, reader.end());
    else if (tag === 0x22) answer.rateLimit = readRateLimit(reader, reader.end());
    else if (tag === 0x32) answer.lease = readLease(reader, reader.end());
    else if (tag === 0x2a) answer.failure = readFailure(reader, reader.end());
    else reader.skip(tag);
  }
  reader.arriveAt(bytes.length);
  // An answer has exactly one of these. If it had two, the less generous one would count.
  if (answer.grant) answer.outcome = 'grant';
  if (answer.denial) answer.outcome = 'denial';
  if (answer.failure) answer.outcome = 'failure';
  return answer;
}

function readLease(reader: MessageReader, end: number): Lease {
  const lease: Lease = { lengthMs: 0, uses: 0, hasOwnPermissions: false, allowedNetworks: [] };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x10) lease.lengthMs = reader.uint32();
    else if (tag === 0x18) lease.uses = reader.uint32();
    else if (tag === 0x20) lease.hasOwnPermissions = reader.uint64() !== '0';
    else if (tag === 0x2a) lease.allowedNetworks.push(reader.text());
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return lease;
}

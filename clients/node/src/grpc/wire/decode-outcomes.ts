import { AccessLevel } from '../../generated/latchkey/v1/AccessLevel.js';
import type { Attribute__Output as Attribute } from '../../generated/latchkey/v1/Attribute.js';
import type { Denial__Output as Denial } from '../../generated/latchkey/v1/Denial.js';
import type { Failure__Output as Failure } from '../../generated/latchkey/v1/Failure.js';
import type { Grant__Output as Grant } from '../../generated/latchkey/v1/Grant.js';
import type { RateLimit__Output as RateLimit } from '../../generated/latchkey/v1/RateLimit.js';
import { Reason } from '../../generated/latchkey/v1/Reason.js';
import type { MessageReader } from './message-reader.js';

// The index of each value is its number in the contract.
const accessLevels = Object.values(AccessLevel);
const reasons = Object.values(Reason);

/** A value without a name here, from a newer service, becomes its number, as in proto-loader. */
function named<Name>(names: readonly Name[], number: number): Name {
  return names[number] ?? (number as Name);
}

export function readGrant(reader: MessageReader, end: number): Grant {
  const identity = { keyId: '', ownerId: '', access: accessLevels[0]! };
  const grant: Grant = { ...identity, permissions: [], expiresAt: null, attributes: [] };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x0a) grant.keyId = reader.text();
    else if (tag === 0x12) grant.ownerId = reader.text();
    else if (tag === 0x18) grant.access = named(accessLevels, reader.int32());
    else if (tag === 0x22) grant.permissions.push(reader.text());
    else if (tag === 0x2a) grant.expiresAt = readTime(reader, reader.end());
    else if (tag === 0x32) grant.attributes.push(readAttribute(reader, reader.end()));
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return grant;
}

function readAttribute(reader: MessageReader, end: number): Attribute {
  const attribute = { name: '', value: '' };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x0a) attribute.name = reader.text();
    else if (tag === 0x12) attribute.value = reader.text();
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return attribute;
}

export function readDenial(reader: MessageReader, end: number): Denial {
  const denial: Denial = { reason: reasons[0]!, httpStatus: 0, message: '', retryAfter: null, keyId: '', ownerId: '' };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x08) denial.reason = named(reasons, reader.int32());
    else if (tag === 0x10) denial.httpStatus = reader.uint32();
    else if (tag === 0x1a) denial.message = reader.text();
    else if (tag === 0x22) denial.retryAfter = readTime(reader, reader.end());
    else if (tag === 0x2a) denial.keyId = reader.text();
    else if (tag === 0x32) denial.ownerId = reader.text();
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return denial;
}

export function readFailure(reader: MessageReader, end: number): Failure {
  const failure: Failure = { code: 0, message: '' };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x08) failure.code = reader.int32();
    else if (tag === 0x12) failure.message = reader.text();
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return failure;
}

export function readRateLimit(reader: MessageReader, end: number): RateLimit {
  const rateLimit: RateLimit = { limit: 0, remaining: 0, resetAfter: null, window: null };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x08) rateLimit.limit = reader.uint32();
    else if (tag === 0x10) rateLimit.remaining = reader.uint32();
    else if (tag === 0x1a) rateLimit.resetAfter = readTime(reader, reader.end());
    else if (tag === 0x22) rateLimit.window = readTime(reader, reader.end());
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return rateLimit;
}

/** A Timestamp or a Duration: they have the same form. */
function readTime(reader: MessageReader, end: number): { seconds: string; nanos: number } {
  const time = { seconds: '0', nanos: 0 };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x08) time.seconds = reader.int64();
    else if (tag === 0x10) time.nanos = reader.int32();
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return time;
}

import { MessageWriter } from './message-writer.js';
import type { WireAnswer, WireDenial, WireGrant, WireRateLimit, WireTime } from './validation-messages.js';

/** More than all that is not text takes; a text takes at most three bytes a character, and six for tag and length. */
const OVERHEAD_BYTES = 256;
const BYTES_PER_CHARACTER = 3;
const BYTES_PER_ITEM = 6;

/** `latchkey.v1.ValidateKeyResponse` as bytes. */
export function encodeAnswer(answer: WireAnswer): Buffer {
  const { requestId, grant, denial, rateLimit, failure } = answer;
  const writer = new MessageWriter(capacityFor(answer));
  writer.text(1, requestId);
  if (grant) writer.message(2, () => writeGrant(writer, grant));
  if (denial) writer.message(3, () => writeDenial(writer, denial));
  if (rateLimit) writer.message(4, () => writeRateLimit(writer, rateLimit));
  if (failure) {
    writer.message(5, () => {
      writer.number(1, failure.code);
      writer.text(2, failure.message);
    });
  }
  return writer.finish();
}

function writeGrant(writer: MessageWriter, grant: WireGrant): void {
  writer.text(1, grant.keyId);
  writer.text(2, grant.ownerId);
  writer.number(3, grant.access);
  for (const permission of grant.permissions) writer.item(4, permission);
  writeTime(writer, 5, grant.expiresAt);
}

function writeDenial(writer: MessageWriter, denial: WireDenial): void {
  const { reason, httpStatus, message, retryAfter, keyId, ownerId } = denial;
  writer.number(1, reason);
  writer.number(2, httpStatus);
  writer.text(3, message);
  if (retryAfter) writeTime(writer, 4, retryAfter);
  writer.text(5, keyId);
  writer.text(6, ownerId);
}

function writeRateLimit(writer: MessageWriter, { limit, remaining, resetAfter }: WireRateLimit): void {
  writer.number(1, limit);
  writer.number(2, remaining);
  writeTime(writer, 3, resetAfter);
}

/** A Timestamp or a Duration. */
function writeTime(writer: MessageWriter, field: number, { seconds, nanos }: WireTime): void {
  writer.message(field, () => {
    writer.number(1, seconds);
    writer.number(2, nanos);
  });
}

function capacityFor({ requestId, grant, denial, failure }: WireAnswer): number {
  let characters = requestId.length;
  let items = 0;
  if (grant) {
    characters += grant.keyId.length + grant.ownerId.length;
    items = grant.permissions.length;
    for (const permission of grant.permissions) characters += permission.length;
  }
  if (denial) characters += denial.message.length + denial.keyId.length + denial.ownerId.length;
  characters += failure?.message.length ?? 0;
  return OVERHEAD_BYTES + characters * BYTES_PER_CHARACTER + items * BYTES_PER_ITEM;
}

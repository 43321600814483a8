import type { Duration__Output as Duration } from '../../../src/infrastructure/inbound/grpc/generated/google/protobuf/Duration.js';
import type { Timestamp__Output as Timestamp } from '../../../src/infrastructure/inbound/grpc/generated/google/protobuf/Timestamp.js';

/** Whole seconds, rounded up, so that a client that waits this long never retries too early. Absent or negative: 0. */
export function secondsRoundedUp(duration: Duration | null): number {
  if (!duration) return 0;
  return Math.max(0, Number(duration.seconds) + (duration.nanos > 0 ? 1 : 0));
}

/** The instant, to the millisecond (rounded down). */
export function toDate({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1e6));
}

/** A Duration or a Timestamp: they have the same form. An int64 has more digits than a JavaScript number. */
interface Seconds {
  readonly seconds: { toNumber(): number };
  readonly nanos: number;
}

/** Whole seconds, rounded up, so that a client that waits this long never comes too early. Absent or negative: 0. */
export function secondsRoundedUp(duration: Seconds | null): number {
  if (!duration) return 0;
  return Math.max(0, duration.seconds.toNumber() + (duration.nanos > 0 ? 1 : 0));
}

/** The instant, to the millisecond (rounded down). */
export function toDate({ seconds, nanos }: Seconds): Date {
  return new Date(seconds.toNumber() * 1000 + Math.floor(nanos / 1e6));
}

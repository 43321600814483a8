/** Two clocks, in milliseconds. On Linux a monotonic clock stands still while the machine is suspended. */
export interface Clocks {
  wall(): number;
  monotonic(): number;
}

export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Before a call: the wall clock is read first. If the machine sleeps between the two, the call seems older than it is. */
export function readBeforeCall(clocks: Clocks): ClockReading {
  const wallMs = clocks.wall();
  return { wallMs, monotonicMs: clocks.monotonic() };
}

/** At a use: the wall clock is read last, so that it counts a sleep between the two. */
export function readAtUse(clocks: Clocks): ClockReading {
  const monotonicMs = clocks.monotonic();
  return { wallMs: clocks.wall(), monotonicMs };
}

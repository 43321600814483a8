package dev.latchkey.guard;

import java.util.function.LongSupplier;

/**
 * Nanoseconds since any moment. On Linux the monotonic clock stands still while a machine sleeps;
 * the wall clock counts the sleep.
 */
record Clocks(LongSupplier wall, LongSupplier monotonic) {
  /** nanoTime may be negative and wrap around, so that only its differences mean something. */
  private static final long BEGAN = System.nanoTime();

  static final Clocks OWN =
      new Clocks(() -> System.currentTimeMillis() * 1_000_000, () -> System.nanoTime() - BEGAN);
}

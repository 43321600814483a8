package dev.latchkey.guard.spring;

import dev.latchkey.guard.GuardBuilder;

/** A bean of this type sets further options of the guard, such as its hooks. */
@FunctionalInterface
public interface GuardCustomizer {
  /** Changes the guard's options, after the properties were applied. */
  void customize(GuardBuilder builder);
}

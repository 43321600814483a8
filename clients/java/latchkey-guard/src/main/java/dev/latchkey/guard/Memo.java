package dev.latchkey.guard;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Remembers what a function returned, of as many values as are usually in use at a time. */
final class Memo<K, V> {
  private static final int MOST = 1000;

  private final Map<K, V> known = new ConcurrentHashMap<>();
  private final Function<K, V> function;

  Memo(Function<K, V> function) {
    this.function = function;
  }

  V of(K value) {
    if (known.size() >= MOST) known.clear();
    return known.computeIfAbsent(value, function);
  }
}

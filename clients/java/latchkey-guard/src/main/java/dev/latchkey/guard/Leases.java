package dev.latchkey.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.latchkey.guard.Answer.Lease;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Leases and what they were used for. Nothing here waits or calls; time passes only by the clocks,
 * in nanoseconds. docs/leases.md of Latchkey says why no lease grants against a change that was
 * answered.
 */
final class Leases {
  private static final long MS = 1_000_000;
  private static final long LONGEST_MS = 2000;
  private static final long QUIET = 1000 * MS; // nobody waits so long after a call without a lease
  private static final int MOST_KEYS = 100_000;
  private static final int MOST_COUNTS = 1000; // addresses are counted one by one up to here

  /** On Linux the monotonic clock stands still while a machine sleeps; the wall clock does not. */
  record Clocks(LongSupplier wall, LongSupplier monotonic) {
    /** nanoTime may be negative and wrap around, so that only its differences mean something. */
    private static final long BEGAN = System.nanoTime();

    static final Clocks OWN =
        new Clocks(() -> System.currentTimeMillis() * MS, () -> System.nanoTime() - BEGAN);
  }

  /**
   * A call with a wish for a lease. Its clocks were read before it was sent, the wall clock first.
   *
   * @param question of the request that makes the call
   * @param renewing the permission that covers this request by the lease that the call renews, of
   *     which it is a use unless the call is granted; null if it renews none
   * @param ended completes with null at the end of the call, whatever came of it
   */
  record Call(
      Key key,
      Question question,
      String renewing,
      long wall,
      long monotonic,
      long uses,
      CompletableFuture<Answer> ended) {}

  /**
   * What to do with a request. Without any of these it makes a call without a wish.
   *
   * @param granted by a lease; null if none can
   * @param own the call that it makes: if it is granted, the renewal of the lease in the background
   * @param others the call that it waits for
   */
  record Step(Answer granted, Call own, Call others) {
    static final Step ALONE = new Step(null, null, null);
  }

  /** What a report counts. */
  private record Use(
      Credential credential, Operation operation, String permission, String clientIp) {}

  private record Count(long times, long last) {}

  private static final class Key {
    Lease lease; // null for none
    Decision granted;
    long used;
    long endsAt; // by the monotonic clock
    long wallEndsAt;
    Call call; // under way; null for none
    long quietUntil;

    /** The lease ended less than its own length ago. */
    boolean isRecent(long now) {
      return lease != null && now < endsAt + lease.lengthMs() * MS;
    }
  }

  private final Clocks clocks;
  private final Map<ByteBuffer, Key> keys = new HashMap<>();
  private Map<Use, Count> counts = new HashMap<>();
  private long spent;

  Leases(Clocks clocks) {
    this.clocks = clocks;
  }

  /** Of the credential's form and exact text, by which Latchkey reads it. */
  static ByteBuffer digestOf(Credential credential) {
    try {
      byte[] text = (credential.apiKey() + "\n" + credential.authorization()).getBytes(UTF_8);
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  /**
   * Grants from a lease, or says what else to do.
   *
   * @param hasWaited whether the request has waited for a call, which it does only once
   */
  synchronized Step step(ByteBuffer digest, Question question, boolean hasWaited) {
    boolean mayBeLeased = question.operation().compareTo(Operation.WRITE) <= 0;
    boolean isFull = keys.size() >= MOST_KEYS && !keys.containsKey(digest);
    if (!mayBeLeased || isFull) return Step.ALONE;
    Key key = keys.computeIfAbsent(digest, none -> new Key());
    long left = leftOf(key);
    if (left > 0) return grant(key, question, left);
    if (hasWaited) return Step.ALONE;
    if (key.call != null) return new Step(null, null, key.call);
    boolean isQuiet = clocks.monotonic().getAsLong() < key.quietUntil;
    return isQuiet ? Step.ALONE : new Step(null, begin(key, question, null), null);
  }

  /** By the clock that shows less. The wall clock is read last: it counts a sleep between both. */
  private long leftOf(Key key) {
    if (key.lease == null) return 0;
    long left = key.endsAt - clocks.monotonic().getAsLong();
    return Math.min(left, key.wallEndsAt - clocks.wall().getAsLong());
  }

  /** A lease only grants. What it would refuse is for Latchkey to judge. */
  private Step grant(Key key, Question question, long left) {
    Lease lease = key.lease;
    String covering = lease.covering(question, key.granted.principal());
    if (covering == null) return Step.ALONE;
    long now = clocks.monotonic().getAsLong();
    key.used++;
    spent++;
    if (key.used == lease.uses()) key.endsAt = now;
    // 80 % of the uses, or of the usable time.
    boolean isDue = key.used * 10 >= lease.uses() * 8 || left * 100 <= lease.lengthMs() * MS * 18;
    Call renewal = null;
    if (isDue && key.call == null && now >= key.quietUntil) {
      renewal = begin(key, question, covering);
    } else {
      count(question, covering, now);
    }
    return new Step(Answer.leased(key.granted.after(key.used)), renewal, null);
  }

  private Call begin(Key key, Question question, String renewing) {
    long wall = clocks.wall().getAsLong();
    long monotonic = clocks.monotonic().getAsLong();
    long uses = key.isRecent(monotonic) ? 2 * key.used + 1 : 1;
    key.call = new Call(key, question, renewing, wall, monotonic, uses, new CompletableFuture<>());
    return key.call;
  }

  /** Ends a call. Those that wait for it go on afterwards, by {@link Call#ended}. */
  synchronized void end(Call call, Answer answer) {
    Key key = call.key;
    Lease given = answer.lease();
    boolean isGranted = answer.decision().isGranted();
    if (call.renewing != null && !isGranted) count(call.question, call.renewing, call.monotonic);
    if (given != null && given.lengthMs() <= LONGEST_MS && given.uses() > 0) {
      long usable = given.lengthMs() * MS / 10 * 9;
      key.lease = given;
      key.granted = answer.decision();
      key.used = 0;
      key.endsAt = call.monotonic + usable;
      key.wallEndsAt = call.wall + usable;
    } else {
      key.quietUntil = clocks.monotonic().getAsLong() + QUIET;
    }
    key.call = null;
    call.ended.complete(null);
  }

  /** Latchkey denied the credential itself. */
  synchronized void drop(ByteBuffer digest) {
    Key key = keys.get(digest);
    if (key != null) key.lease = null;
  }

  private void count(Question of, String permission, long now) {
    Use use = new Use(of.credential(), of.operation(), permission, of.clientIp());
    if (counts.size() >= MOST_COUNTS && !counts.containsKey(use)) {
      use = new Use(of.credential(), of.operation(), permission, "");
    }
    counts.merge(use, new Count(1, now), (old, one) -> new Count(old.times + 1, now));
  }

  /** Frees memory, and takes out what leases were used for, as KeyUses in JSON. */
  synchronized List<Map<String, Object>> tidy() {
    long now = clocks.monotonic().getAsLong();
    keys.values().removeIf(key -> !key.isRecent(now) && key.call == null && key.quietUntil <= now);
    List<Map<String, Object>> uses = new ArrayList<>();
    counts.forEach(
        (use, count) -> {
          Map<String, Object> entry = new HashMap<>(Map.ofEntries(use.credential.field()));
          entry.put("clientIp", use.clientIp);
          entry.put("operation", "OPERATION_" + use.operation);
          entry.put("count", count.times);
          entry.put("lastMsAgo", Math.max(0, (now - count.last) / MS));
          // Absent would mean unknown.
          entry.put("permission", use.permission);
          uses.add(entry);
        });
    counts = new HashMap<>();
    return uses;
  }

  synchronized Guard.LeaseCounts counts() {
    long now = clocks.monotonic().getAsLong();
    long held = keys.values().stream().filter(key -> key.isRecent(now)).count();
    return new Guard.LeaseCounts((int) held, spent);
  }

  synchronized boolean isCalling() {
    return keys.values().stream().anyMatch(key -> key.call != null);
  }
}

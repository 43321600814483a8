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
  private static final long SECOND = 1_000_000_000L;
  private static final long LONGEST = 2 * SECOND;
  private static final long QUIET = SECOND; // nobody waits so long after a call without a lease
  private static final int MOST_KEYS = 100_000;
  private static final int MOST_COUNTS = 1000; // addresses are counted one by one up to here

  /**
   * A call with a wish for a lease. Its clocks were read before it was sent, the wall clock first.
   *
   * @param question of the request that makes the call
   * @param renewing the permission that covers this request by the lease that the call renews, of
   *     which it is a use unless the call is granted; null if it renews none
   * @param ended completes with null at the end of the call, whatever came of it
   */
  record Call(
      Question question,
      String renewing,
      ByteBuffer digest,
      long wall,
      long monotonic,
      long uses,
      CompletableFuture<Answer> ended) {}

  /** A grant, and the call that should renew its lease; null for none. */
  record Grant(Decision decision, Call renewal) {}

  /** What a request does that no lease grants: it makes a call, waits for another's, or neither. */
  record Next(Call own, Call others) {
    static final Next NEITHER = new Next(null, null);
  }

  /** On Linux the monotonic clock stands still while a machine sleeps; the wall clock does not. */
  record Clocks(LongSupplier wall, LongSupplier monotonic) {
    /** nanoTime may be negative and wrap around, so that only its differences mean something. */
    private static final long BEGAN = System.nanoTime();

    static final Clocks OWN =
        new Clocks(() -> System.currentTimeMillis() * 1_000_000, () -> System.nanoTime() - BEGAN);
  }

  /** What a report counts. */
  private record Use(
      Credential credential, Operation operation, String permission, String clientIp) {}

  private record Count(long times, long last) {}

  private static final class Key {
    Lease lease; // null for none
    Decision granted;
    long wall; // when the call began that brought the lease, as monotonic
    long monotonic;
    long used;
    long spentAt;
    Call call; // under way; null for none
    long quietUntil = Long.MIN_VALUE;

    /** The lease ended less than its own length ago. */
    boolean isRecent(long now) {
      if (lease == null) return false;
      long endedAt = monotonic + lease.length() * 9 / 10;
      if (used >= lease.uses()) endedAt = Math.min(endedAt, spentAt);
      return now < endedAt + lease.length();
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
    var field = credential.field();
    try {
      byte[] text = (field.getKey() + " " + field.getValue()).getBytes(UTF_8);
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  /** Grants from a lease; null if none can. */
  synchronized Grant grant(ByteBuffer digest, Question question) {
    Key key = keys.get(digest);
    if (key == null || !isUsable(key)) return null;
    String covering = key.lease.covering(question, key.granted.principal());
    if (covering == null) return null;
    key.used++;
    spent++;
    long now = clocks.monotonic().getAsLong();
    if (key.used == key.lease.uses()) key.spentAt = now;
    // 80 % of the uses, or of the usable time.
    boolean isDue =
        key.used * 10 >= key.lease.uses() * 8 || passedFor(key) * 100 >= key.lease.length() * 72;
    Call renewal = null;
    if (isDue && key.call == null && now >= key.quietUntil) {
      renewal = begin(digest, key, question, covering);
    } else {
      count(question, covering, now);
    }
    return new Grant(key.granted.after(key.used), renewal);
  }

  synchronized Next next(ByteBuffer digest, Question question) {
    boolean mayBeLeased = question.operation().compareTo(Operation.WRITE) <= 0;
    if (!mayBeLeased || keys.size() >= MOST_KEYS && !keys.containsKey(digest)) return Next.NEITHER;
    Key key = keys.computeIfAbsent(digest, none -> new Key());
    // A usable lease does not allow this request.
    if (isUsable(key)) return Next.NEITHER;
    if (key.call != null) return new Next(null, key.call);
    boolean isQuiet = clocks.monotonic().getAsLong() < key.quietUntil;
    return isQuiet ? Next.NEITHER : new Next(begin(digest, key, question, null), null);
  }

  private Call begin(ByteBuffer digest, Key key, Question question, String renewing) {
    long wall = clocks.wall().getAsLong();
    long monotonic = clocks.monotonic().getAsLong();
    long uses = key.isRecent(monotonic) ? 2 * key.used + 1 : 1;
    key.call =
        new Call(question, renewing, digest, wall, monotonic, uses, new CompletableFuture<>());
    return key.call;
  }

  /** Ends a call. Those that wait for it go on afterwards, by {@link Call#ended}. */
  synchronized void end(Call call, Decision decision, Lease given) {
    Key key = keys.get(call.digest);
    boolean isGranted = decision.isGranted();
    if (call.renewing != null && !isGranted) count(call.question, call.renewing, call.monotonic);
    if (isGranted && given != null && given.length() <= LONGEST) {
      key.lease = given;
      key.granted = decision;
      key.wall = call.wall;
      key.monotonic = call.monotonic;
      key.used = 0;
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

  /** By the clock that shows more. The wall clock is read last: it counts a sleep between both. */
  private long passedFor(Key key) {
    long monotonic = clocks.monotonic().getAsLong() - key.monotonic;
    return Math.max(monotonic, clocks.wall().getAsLong() - key.wall);
  }

  private boolean isUsable(Key key) {
    return key.lease != null
        && key.used < key.lease.uses()
        && passedFor(key) < key.lease.length() / 10 * 9;
  }

  /** Frees memory, and takes out what leases were used for, as KeyUses in JSON. */
  synchronized List<Map<String, Object>> tidy() {
    long now = clocks.monotonic().getAsLong();
    for (Key key : keys.values()) {
      if (!key.isRecent(now)) key.lease = null;
    }
    keys.values().removeIf(key -> key.lease == null && key.call == null && key.quietUntil <= now);
    List<Map<String, Object>> uses = new ArrayList<>();
    counts.forEach(
        (use, count) -> {
          Map<String, Object> entry = new HashMap<>(Map.ofEntries(use.credential.field()));
          entry.put("clientIp", use.clientIp);
          entry.put("operation", "OPERATION_" + use.operation);
          entry.put("count", count.times);
          entry.put("lastMsAgo", Math.max(0, (now - count.last) / 1_000_000));
          if (!use.permission.isEmpty()) entry.put("permission", use.permission);
          uses.add(entry);
        });
    counts = new HashMap<>();
    return uses;
  }

  synchronized Guard.LeaseCounts counts() {
    int held = (int) keys.values().stream().filter(key -> key.lease != null).count();
    return new Guard.LeaseCounts(held, spent);
  }

  synchronized boolean isCalling() {
    return keys.values().stream().anyMatch(key -> key.call != null);
  }
}

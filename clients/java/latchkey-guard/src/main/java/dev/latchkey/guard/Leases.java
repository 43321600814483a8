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
   * @param renews the request of a renewal, which is a use of the lease before unless the call is
   *     granted; null if the call renews none
   * @param done completes with null at the end of the call, whatever came of it
   */
  record Call(
      Key key, Use renews, long wall, long monotonic, long uses, CompletableFuture<Answer> done) {}

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
  record Use(Credential credential, Operation operation, String permission, String clientIp) {}

  private record Count(long times, long last) {}

  static final class Key {
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
  final Map<ByteBuffer, Key> keys = new HashMap<>();
  private final Map<Use, Count> counts = new HashMap<>();

  /** The keys that have counts, found without their digests: these take longer than a grant. */
  private final Map<Credential, Key> used = new HashMap<>();

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
  synchronized Step step(Question question, boolean hasWaited) {
    boolean mayBeLeased = question.operation().compareTo(Operation.WRITE) <= 0;
    Key key = mayBeLeased ? keyOf(question.credential()) : null;
    if (key == null) return Step.ALONE;
    long now = clocks.monotonic().getAsLong();
    // By the clock that shows less. The wall clock is read last: it counts a sleep between both.
    long left = Math.min(key.endsAt - now, key.wallEndsAt - clocks.wall().getAsLong());
    if (key.lease != null && left > 0) return grant(key, question, now, left);
    if (hasWaited) return Step.ALONE;
    if (key.call != null) return new Step(null, null, key.call);
    return now < key.quietUntil ? Step.ALONE : new Step(null, begin(key, null), null);
  }

  /** Null for none, and beyond so many keys. */
  private Key keyOf(Credential credential) {
    Key hot = used.get(credential);
    if (hot != null || credential.isEmpty()) return hot;
    ByteBuffer digest = digestOf(credential);
    if (keys.size() < MOST_KEYS) keys.putIfAbsent(digest, new Key());
    return keys.get(digest);
  }

  /** A lease only grants. What it would refuse is for Latchkey to judge. */
  private Step grant(Key key, Question question, long now, long left) {
    Lease lease = key.lease;
    String covering = lease.covering(question, key.granted.principal());
    if (covering == null) return Step.ALONE;
    var use = new Use(question.credential(), question.operation(), covering, question.clientIp());
    key.used++;
    spent++;
    if (key.used == lease.uses()) key.endsAt = now;
    // 80 % of the uses, or of the usable time.
    boolean isDue = key.used * 10 >= lease.uses() * 8 || left * 100 <= lease.lengthMs() * MS * 18;
    Call renewal = null;
    if (isDue && key.call == null && now >= key.quietUntil) {
      renewal = begin(key, use);
    } else {
      count(use, now);
      used.put(question.credential(), key);
    }
    return new Step(Answer.leased(key.granted.after(key.used)), renewal, null);
  }

  private Call begin(Key key, Use renews) {
    long wall = clocks.wall().getAsLong();
    long monotonic = clocks.monotonic().getAsLong();
    long uses = key.isRecent(monotonic) ? 2 * key.used + 1 : 1;
    key.call = new Call(key, renews, wall, monotonic, uses, new CompletableFuture<>());
    return key.call;
  }

  /** Ends a call. Those that wait for it go on afterwards, by {@link Call#done}. */
  synchronized void end(Call call, Answer answer) {
    Key key = call.key;
    Lease given = answer.lease();
    boolean isUse = call.renews != null && !answer.decision().isGranted();
    if (isUse) count(call.renews, call.monotonic);
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
    call.done.complete(null);
  }

  /** Latchkey denied the credential itself. */
  synchronized void drop(Credential credential) {
    Key key = keys.get(digestOf(credential));
    if (key != null) key.lease = null;
  }

  private void count(Use use, long now) {
    boolean hasRoom = counts.size() < MOST_COUNTS || counts.containsKey(use);
    Use counted = hasRoom ? use : new Use(use.credential, use.operation, use.permission, "");
    counts.merge(counted, new Count(1, now), (old, one) -> new Count(old.times + 1, now));
  }

  /** Frees memory, and takes out what leases were used for, as KeyUses in JSON. */
  synchronized List<Map<String, Object>> tidy() {
    long now = clocks.monotonic().getAsLong();
    keys.values().removeIf(key -> !key.isRecent(now) && key.call == null && key.quietUntil <= now);
    List<Map<String, Object>> uses = new ArrayList<>();
    counts.forEach(
        (use, count) -> {
          var entry = use.credential.message(use.operation, use.permission, use.clientIp);
          entry.put("count", count.times);
          entry.put("lastMsAgo", Math.max(0, (now - count.last) / MS));
          uses.add(entry);
        });
    counts.clear();
    used.clear();
    return uses;
  }

  synchronized Guard.LeaseCounts counts() {
    long now = clocks.monotonic().getAsLong();
    long held = keys.values().stream().filter(key -> key.isRecent(now)).count();
    return new Guard.LeaseCounts((int) held, spent);
  }
}

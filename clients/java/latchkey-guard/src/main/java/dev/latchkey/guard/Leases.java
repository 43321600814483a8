package dev.latchkey.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
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

  /** So long nobody waits for a call, after one that brought no lease. */
  private static final long QUIET = SECOND;

  private static final int MOST_KEYS = 100_000;

  /** Addresses are counted one by one up to here. */
  private static final int MOST_COUNTS = 1000;

  /** What came with a grant. */
  record Lease(long length, long uses, boolean hasOwnPermissions, List<String> allowedNetworks) {

    /** Latchkey's own rule. A key with permissions of its own needs one for a route without. */
    boolean allows(Question question, LatchkeyPrincipal principal) {
      var address = Addresses.parse(question.clientIp());
      String action = ":" + question.operation().name().toLowerCase(Locale.ROOT);
      return principal.allows(question.operation(), question.permission())
          && (allowedNetworks.isEmpty()
              || allowedNetworks.stream().anyMatch(each -> Addresses.contains(each, address)))
          && (!hasOwnPermissions
              || !question.permission().isEmpty()
              || principal.permissions().stream().anyMatch(each -> each.endsWith(action)));
    }
  }

  /**
   * A call with a wish for a lease. Its clocks were read before it was sent, the wall clock first.
   *
   * @param renewing counts as the call's own, if this is granted; null for a call that is no
   *     renewal
   * @param ended completes with null at the end of the call, whatever came of it
   */
  record Call(
      String digest,
      long wall,
      long monotonic,
      long uses,
      Use renewing,
      CompletableFuture<Answer> ended) {}

  /** A grant, and the call that should renew its lease; null for none. */
  record Grant(Decision decision, Call renewal) {}

  /** What a request does that no lease grants: it makes a call, waits for another's, or neither. */
  record Next(Call own, Call others) {
    static final Next NEITHER = new Next(null, null);
  }

  /** What a report counts. */
  record Use(Credential credential, Operation operation, String permission, String clientIp) {}

  private record Count(long times, long last) {}

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

  private record Held(Lease lease, Call call, Decision decision) {}

  private static final class Key {
    Held held;
    long used;
    long spentAt;

    /** Under way; null for none. */
    Call call;

    long quietUntil = Long.MIN_VALUE;

    /** The lease ended less than its own length ago. */
    boolean isRecent(long now) {
      if (held == null) return false;
      long endedAt = held.call.monotonic + held.lease.length * 9 / 10;
      if (used >= held.lease.uses) endedAt = Math.min(endedAt, spentAt);
      return now < endedAt + held.lease.length;
    }
  }

  private final Clocks clocks;
  private final Map<String, Key> keys = new HashMap<>();
  private Map<Use, Count> counts = new HashMap<>();
  private long spent;

  Leases(Clocks clocks) {
    this.clocks = clocks;
  }

  /** Of the credential's form and exact text, by which Latchkey reads it. */
  static String digestOf(Credential credential) {
    var field = credential.field();
    try {
      byte[] text = (field.getKey() + " " + field.getValue()).getBytes(UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  /** Grants from a lease; null if none can. */
  synchronized Grant grant(String digest, Question question) {
    Key key = keys.get(digest);
    if (key == null || !isUsable(key)) return null;
    Held held = key.held;
    LatchkeyPrincipal principal = held.decision.principal();
    if (!held.lease.allows(question, principal)) return null;
    key.used++;
    spent++;
    long passed = passedSince(held.call);
    long now = clocks.monotonic().getAsLong();
    if (key.used == held.lease.uses) key.spentAt = now;
    String covering = Permissions.covering(question.permission(), principal.permissions());
    Use use = new Use(question.credential(), question.operation(), covering, question.clientIp());
    // 80 % of the uses, or of the usable time.
    boolean isDue = key.used * 10 >= held.lease.uses * 8 || passed * 100 >= held.lease.length * 72;
    Call renewal = null;
    if (isDue && key.call == null && now >= key.quietUntil) {
      renewal = begin(digest, key, use);
    } else {
      count(use, now);
    }
    return new Grant(held.decision.after(key.used), renewal);
  }

  synchronized Next next(String digest, Question question) {
    boolean mayBeLeased = question.operation().compareTo(Operation.WRITE) <= 0;
    if (!mayBeLeased || keys.size() >= MOST_KEYS && !keys.containsKey(digest)) return Next.NEITHER;
    Key key = keys.computeIfAbsent(digest, none -> new Key());
    // A usable lease does not allow this request.
    if (isUsable(key)) return Next.NEITHER;
    if (key.call != null) return new Next(null, key.call);
    boolean isQuiet = clocks.monotonic().getAsLong() < key.quietUntil;
    return isQuiet ? Next.NEITHER : new Next(begin(digest, key, null), null);
  }

  private Call begin(String digest, Key key, Use renewing) {
    long wall = clocks.wall().getAsLong();
    long monotonic = clocks.monotonic().getAsLong();
    long uses = key.isRecent(monotonic) ? 2 * key.used + 1 : 1;
    key.call = new Call(digest, wall, monotonic, uses, renewing, new CompletableFuture<>());
    return key.call;
  }

  /** Ends a call. Those that wait for it go on afterwards, by {@link Call#ended}. */
  void end(Call call, Decision decision, Lease given) {
    synchronized (this) {
      Key key = keys.get(call.digest);
      if (call.renewing != null && !decision.isGranted()) count(call.renewing, call.monotonic);
      if (decision.isGranted() && given != null && given.length <= LONGEST) {
        key.held = new Held(given, call, decision);
        key.used = 0;
      } else {
        key.quietUntil = clocks.monotonic().getAsLong() + QUIET;
      }
      key.call = null;
    }
    call.ended.complete(null);
  }

  /** Latchkey denied the credential itself. */
  synchronized void drop(String digest) {
    Key key = keys.get(digest);
    if (key != null) key.held = null;
  }

  private void count(Use use, long now) {
    boolean isOneMore = !counts.containsKey(use) && counts.size() >= MOST_COUNTS;
    Use counted = isOneMore ? new Use(use.credential, use.operation, use.permission, "") : use;
    counts.merge(counted, new Count(1, now), (old, one) -> new Count(old.times + 1, now));
  }

  /**
   * By the clock that shows more. The wall clock is read last, so that it counts a sleep between
   * the two.
   */
  private long passedSince(Call call) {
    long monotonic = clocks.monotonic().getAsLong() - call.monotonic;
    return Math.max(monotonic, clocks.wall().getAsLong() - call.wall);
  }

  private boolean isUsable(Key key) {
    Held held = key.held;
    return held != null
        && key.used < held.lease.uses
        && passedSince(held.call) < held.lease.length / 10 * 9;
  }

  /** Frees memory, and takes out what leases were used for, as KeyUses in JSON. */
  synchronized List<Map<String, Object>> tidy() {
    long now = clocks.monotonic().getAsLong();
    for (Key key : keys.values()) {
      if (!key.isRecent(now)) key.held = null;
    }
    keys.values().removeIf(key -> key.held == null && key.call == null && key.quietUntil <= now);
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
    int held = (int) keys.values().stream().filter(key -> key.held != null).count();
    return new Guard.LeaseCounts(held, spent);
  }

  synchronized boolean isCalling() {
    return keys.values().stream().anyMatch(key -> key.call != null);
  }
}

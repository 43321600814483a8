package dev.latchkey.guard;

import static java.lang.System.Logger.Level.ERROR;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.latchkey.guard.DecisionEvent.Source;
import dev.latchkey.guard.Transport.FailedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Decides about requests: one for each process, for as long as it lives. It may be used by any
 * number of threads. Without a usable answer of Latchkey within the deadline, a request is answered
 * with 503.
 */
public final class Guard implements AutoCloseable {
  /** In the place of a permission: any good key is enough. */
  public static final String ANY_KEY = "*";

  private static final System.Logger LOGGER = System.getLogger("dev.latchkey.guard");

  /** Always with three digits after the second. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  private static final List<String> UNDERSTOOD =
      List.of("KEY_RESTRICTION_PERMISSIONS", "KEY_RESTRICTION_NETWORKS");

  private static final int MOST_REPORTED = 50; // of the longest form, below 48 KiB in a report
  private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  final GuardBuilder options;
  final Credentials credentials;
  private final Transport transport;
  private final Leases leases;
  private final ScheduledExecutorService reporter;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private long loggedAt = System.nanoTime() - LOG_NANOS;
  private int unlogged;

  Guard(GuardBuilder options) {
    this.options = options;
    credentials = new Credentials(options.credentials, options.keyPrefix);
    transport = new Transport(options);
    leases = options.leases ? new Leases(options.clocks) : null;
    reporter = leases == null ? null : Executors.newSingleThreadScheduledExecutor(Guard::daemon);
    if (reporter != null) reporter.scheduleWithFixedDelay(this::report, 1, 1, TimeUnit.SECONDS);
    rehearse();
  }

  /** Loads classes that the first request needs, whose deadline this would use up. */
  private static void rehearse() {
    var question = new Question(Credential.NONE, Operation.READ, "", "", "", "", "", "");
    String answer =
        """
        {"requestId": "%s", "grant": {"keyId": "k", "ownerId": "o", "expiresAt": "2100-01-01T00:00:00Z",
        "access": "ACCESS_LEVEL_READ_ONLY", "permissions": ["a:read"]}, "rateLimit": {"window": "5s"}}
        """
            .formatted(question.requestId());
    try {
      Transport.JSON.writeValueAsBytes(messageOf(question, null));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Every message can be JSON", e);
    }
    Answer.read(answer.getBytes(UTF_8), question, "");
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "latchkey-guard-reporter");
    thread.setDaemon(true);
    return thread;
  }

  /** Begins a guard. */
  public static GuardBuilder builder() {
    return new GuardBuilder();
  }

  /**
   * What a route requires. A parameter of the route stands in braces: {@code systems/{id}:read}.
   *
   * @param permission {@code resource:action}, or {@link #ANY_KEY}
   * @throws IllegalArgumentException it is neither, because an unset variable must not mean "any
   *     good key"
   */
  public Protection protect(String permission) {
    return new Protection(this, permission, permission, null);
  }

  /** Whether a request carries what looks like an API key. Imported keys have no marker. */
  public boolean isApiKey(GuardedRequest request) {
    return credentials.isApiKey(request);
  }

  /** Decides about one question. It never throws, and takes no longer than the deadline. */
  public Decision check(Question question) {
    long begun = System.nanoTime();
    long deadline = begun + options.deadline.toNanos();
    boolean mayLease = leases != null && !question.credential().isEmpty() && !isClosed.get();
    if (!mayLease) return answered(question, await(ask(question, null, deadline), deadline), begun);
    ByteBuffer digest = Leases.digestOf(question.credential());
    Decision granted = fromLease(digest, question);
    if (granted != null) return decided(question, granted, Source.LEASE, begun);
    Leases.Next next = leases.next(digest, question);
    if (next.others() != null) {
      Answer late = await(next.others().ended(), deadline);
      if (late != null) return answered(question, late, begun);
      granted = fromLease(digest, question);
      if (granted != null) return decided(question, granted, Source.LEASE, begun);
    }
    // A call with a wish ends by its deadline, even if this thread is interrupted: others may wait
    // for it.
    return answered(question, await(ask(question, next.own(), deadline), deadline), begun);
  }

  private Decision fromLease(ByteBuffer digest, Question question) {
    Leases.Grant grant = leases.grant(digest, question);
    if (grant == null) return null;
    if (grant.renewal() != null) {
      ask(question, grant.renewal(), System.nanoTime() + options.deadline.toNanos());
    }
    return grant.decision();
  }

  private Answer await(CompletableFuture<Answer> asked, long deadline) {
    try {
      return asked.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return Answer.failed(transport.failureOf(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Answer.failed(new FailedException("CANCELLED", "the thread was interrupted", false));
    }
  }

  /** Calls Latchkey, and once more if no answer began and there is time for another call. */
  private CompletableFuture<Answer> ask(Question question, Leases.Call wish, long deadline) {
    long sent = System.nanoTime();
    return askOnce(question, wish, deadline)
        .exceptionallyCompose(
            problem -> {
              long now = System.nanoTime();
              boolean hasTime = now + (now - sent) - deadline < 0;
              return hasTime && transport.failureOf(problem).mayRetry
                  ? askOnce(question, wish, deadline)
                  : CompletableFuture.failedFuture(problem);
            })
        .exceptionally(problem -> Answer.failed(transport.failureOf(problem)))
        .whenComplete(
            (answer, problem) -> {
              if (wish != null) leases.end(wish, answer.decision(), answer.lease());
            });
  }

  private CompletableFuture<Answer> askOnce(Question question, Leases.Call wish, long deadline) {
    if (isClosed.get()) {
      return CompletableFuture.failedFuture(
          new FailedException("UNAVAILABLE", "the guard is closed", false));
    }
    return transport.post(
        "ValidateKey",
        messageOf(question, wish),
        deadline - System.nanoTime(),
        (body, window) -> {
          try {
            return Answer.read(body, question, window);
          } catch (FailedException e) {
            // What else the connection brings may belong to other requests, too.
            transport.forgetConnections();
            throw e;
          }
        });
  }

  private static Map<String, Object> messageOf(Question question, Leases.Call wish) {
    Map<String, Object> message = new HashMap<>(Map.ofEntries(question.credential().field()));
    message.put("requestId", question.requestId());
    message.put("operation", "OPERATION_" + question.operation());
    message.put("permission", question.permission());
    message.put("clientIp", question.clientIp());
    message.put("userAgent", question.userAgent());
    if (wish != null) {
      message.put("leaseWish", Map.of("uses", wish.uses(), "understands", UNDERSTOOD));
    }
    return message;
  }

  private Decision answered(Question question, Answer answer, long begun) {
    if (answer.failure() != null) failed(question, answer.failure());
    return decided(question, answer.decision(), Source.SERVICE, begun);
  }

  private Decision decided(Question question, Decision decision, Source source, long begun) {
    var event =
        new DecisionEvent(
            decision,
            question.operation(),
            question.permission(),
            question.template(),
            question.clientIp(),
            question.requestId(),
            source,
            Duration.ofNanos(System.nanoTime() - begun));
    if (decision.status() == 401 && leases != null) {
      leases.drop(Leases.digestOf(question.credential()));
    }
    if (!decision.isGranted() && decision.status() != 503) call(options.onDenied, event);
    call(options.onDecision, event);
    return decision;
  }

  private void failed(Question question, FailedException failure) {
    String message = failure.getMessage();
    for (String secret :
        List.of(
            question.credential().apiKey(),
            question.credential().authorization(),
            options.serviceToken)) {
      if (!secret.isEmpty()) message = message.replace(secret, "[redacted]");
    }
    call(options.onError, new Failure(failure.code, message, question.requestId()));
    if (options.logFailures && !failure.code.equals("CANCELLED")) log(failure.code, message);
  }

  /** Logs the first failure, and then at most one line a minute. */
  private synchronized void log(String code, String message) {
    unlogged++;
    if (System.nanoTime() - loggedAt < LOG_NANOS) return;
    LOGGER.log(ERROR, "{0} requests were answered with 503: {1}: {2}", unlogged, code, message);
    loggedAt = System.nanoTime();
    unlogged = 0;
  }

  /** A hook that throws changes no decision. */
  private static <E> void call(Consumer<E> hook, E event) {
    try {
      if (hook != null) hook.accept(event);
    } catch (Exception e) {
      LOGGER.log(ERROR, "a hook of the guard threw", e);
    }
  }

  /**
   * The headers that an answer carries. {@code Access-Control-Expose-Headers} is added to what is
   * there, and {@code Cache-Control} only set if the answer has none.
   *
   * @param challenge of the {@link Question}, for an answer of 401
   */
  public Map<String, String> headers(String challenge, Decision decision) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (credentials.arePrivate()) headers.put("Cache-Control", "private");
    Decision.RateLimit rate = decision.rateLimit();
    if (rate != null) {
      String window = rate.windowSeconds() > 0 ? ";w=" + rate.windowSeconds() : "";
      headers.put("RateLimit-Policy", "\"key\";q=" + rate.limit() + window);
      headers.put("RateLimit", "\"key\";r=" + rate.remaining() + ";t=" + rate.resetSeconds());
    }
    switch (decision.status()) {
      case 200 -> {
        headers.put("Latchkey-Key-Expires", TIME.format(decision.principal().expiresAt()));
        headers.put("Access-Control-Expose-Headers", "Latchkey-Key-Expires");
      }
      case 401 -> headers.put("WWW-Authenticate", challenge);
      case 403 -> {
        // RFC 6750: more scope would not help from another address.
        if (!decision.reason().equals("ADDRESS_NOT_ALLOWED")) {
          String missing = decision.missingPermission();
          String scope = Permissions.isPermission(missing) ? ", scope=\"" + missing + "\"" : "";
          headers.put("WWW-Authenticate", "Bearer error=\"insufficient_scope\"" + scope);
        }
      }
      case 429 ->
          headers.put("Retry-After", Long.toString(Math.max(1, decision.retryAfterSeconds())));
      default -> {}
    }
    return headers;
  }

  /**
   * Of leases, for metrics.
   *
   * @param held how many are held now
   * @param spent how many requests were granted from leases since the guard was made
   */
  public record LeaseCounts(int held, long spent) {}

  /** How many leases are held, and how many requests were granted from leases. */
  public LeaseCounts leases() {
    return leases == null ? new LeaseCounts(0, 0) : leases.counts();
  }

  /** Whether a call with a wish for a lease is under way. */
  boolean isCallingForLeases() {
    return leases != null && leases.isCalling();
  }

  /** Each report is sent once, never again. */
  private void report() {
    List<Map<String, Object>> uses = leases.tidy();
    for (int from = 0; from < uses.size(); from += MOST_REPORTED) {
      var part = uses.subList(from, Math.min(uses.size(), from + MOST_REPORTED));
      transport
          .post("ReportUses", Map.of("uses", part), REPORT_NANOS, (body, window) -> body)
          .exceptionally(problem -> null)
          .join();
    }
  }

  /** Reports what leases were used for, and ends the guard. Later requests are refused with 503. */
  @Override
  public void close() {
    if (!isClosed.compareAndSet(false, true)) return;
    if (reporter != null) {
      reporter.execute(this::report);
      reporter.shutdown();
      try {
        reporter.awaitTermination(options.deadline.toNanos() + REPORT_NANOS, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    transport.forgetConnections();
  }
}

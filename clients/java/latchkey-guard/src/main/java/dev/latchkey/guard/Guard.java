package dev.latchkey.guard;

import static java.lang.System.Logger.Level.ERROR;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.latchkey.guard.Transport.Body;
import dev.latchkey.guard.Transport.FailedException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

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

  /** Times as RFC 3339. */
  private static final Memo<Instant, String> SHOWN = new Memo<>(TIME::format);

  private static final List<String> UNDERSTOOD =
      List.of("KEY_RESTRICTION_PERMISSIONS", "KEY_RESTRICTION_NETWORKS");

  private static final int MOST_REPORTED = 50; // of the longest form, below 48 KiB in a report
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long LOG_NANOS = 60 * SECOND;

  final GuardBuilder options;
  final Credentials credentials;
  final Leases leases;
  private final Transport transport;
  private final ScheduledExecutorService reporter =
      Executors.newSingleThreadScheduledExecutor(Guard::daemon);
  private volatile boolean isClosed;
  private long loggedAt = System.nanoTime() - LOG_NANOS;
  private int unlogged;

  Guard(GuardBuilder options) {
    this.options = options;
    credentials = new Credentials(options.credentials, options.keyPrefix);
    leases = new Leases(options.clocks);
    transport = new Transport(options);
    if (options.leases) reporter.scheduleWithFixedDelay(this::report, 1, 1, TimeUnit.SECONDS);
    rehearse();
  }

  /** Loads classes that the first request needs, whose deadline this would use up. */
  private void rehearse() {
    var names = new RequestNames(null);
    var question = new Question(Credential.NONE, Operation.READ, "", "", "", "", names);
    // Without any time left, the request is only made.
    transport.post("ValidateKey", messageOf(question, null), System.nanoTime());
    String answer =
        """
        {"requestId": "%s", "grant": {"keyId": "k", "ownerId": "o", "expiresAt": "2100-01-01T00:00:00Z",
        "access": "ACCESS_LEVEL_READ_ONLY", "permissions": ["a:read"]}, "rateLimit": {"window": "5s"}}
        """
            .formatted(names.requestId());
    Answer.read(new Body(answer.getBytes(UTF_8), ""), question);
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
    Answer answer = answerTo(question, begun + options.deadline.toNanos());
    Decision decision = answer.decision();
    if (answer.failure() != null) failed(question, answer.failure());
    boolean isDenied = !decision.isGranted() && decision.status() != 503;
    if (options.onDecision == null && !(isDenied && options.onDenied != null)) return decision;
    var event =
        new DecisionEvent(
            decision,
            question.operation(),
            question.permission(),
            question.template(),
            question.clientIp(),
            shownId(question),
            answer.source(),
            Duration.ofNanos(System.nanoTime() - begun));
    if (isDenied) call(options.onDenied, event);
    call(options.onDecision, event);
    return decision;
  }

  private Answer answerTo(Question question, long deadline) {
    if (isClosed) {
      return Answer.failed(new FailedException("UNAVAILABLE", "the guard is closed", false));
    }
    var step = Leases.Step.ALONE;
    if (options.leases) step = leases.step(question, false);
    if (step.others() != null) {
      Answer late = await(step.others().done(), deadline);
      if (late != null) return late;
      step = leases.step(question, true);
    }
    if (step.granted() == null) return await(ask(question, step.own(), deadline), deadline);
    if (step.own() != null) {
      ask(question, step.own(), System.nanoTime() + options.deadline.toNanos());
    }
    return step.granted();
  }

  private Answer await(CompletableFuture<Answer> asked, long deadline) {
    try {
      return asked.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException | InterruptedException e) {
      if (e instanceof InterruptedException) Thread.currentThread().interrupt();
      return Answer.failed(transport.failureOf(e));
    }
  }

  /**
   * Calls Latchkey. Others may wait for a call with a wish, so it ends by its deadline even if this
   * thread is interrupted, and also if an adapter throws while its request is read.
   */
  private CompletableFuture<Answer> ask(Question question, Leases.Call wish, long deadline) {
    return CompletableFuture.completedFuture(question)
        .thenApply(asked -> messageOf(asked, wish))
        .thenCompose(message -> validate(message, deadline))
        .thenApply(body -> Answer.read(body, question))
        .exceptionally(problem -> Answer.failed(transport.failureOf(problem)))
        .whenComplete(
            (answer, problem) -> {
              boolean isInvalid = answer.decision().status() == 401;
              if (isInvalid && options.leases) leases.drop(question.credential());
              if (wish != null) leases.end(wish, answer);
            });
  }

  /** Makes a call, and once more if no answer began and there is time for another call. */
  private CompletableFuture<Body> validate(Map<String, Object> message, long deadline) {
    long sent = System.nanoTime();
    return transport
        .post("ValidateKey", message, deadline)
        .exceptionallyCompose(
            problem -> {
              long now = System.nanoTime();
              boolean hasTime = now + (now - sent) - deadline < 0;
              return hasTime && transport.failureOf(problem).mayRetry
                  ? transport.post("ValidateKey", message, deadline)
                  : CompletableFuture.failedFuture(problem);
            });
  }

  private static Map<String, Object> messageOf(Question question, Leases.Call wish) {
    Map<String, Object> message =
        question
            .credential()
            .message(question.operation(), question.permission(), question.clientIp());
    message.put("requestId", question.names().requestId());
    message.put("userAgent", question.names().userAgent());
    if (wish != null) {
      message.put("leaseWish", Map.of("uses", wish.uses(), "understands", UNDERSTOOD));
    }
    return message;
  }

  /** For hooks; empty for a request that can't be read. */
  private static String shownId(Question question) {
    try {
      return question.names().requestId();
    } catch (RuntimeException e) {
      return "";
    }
  }

  private void failed(Question question, FailedException failure) {
    Credential credential = question.credential();
    String message =
        Stream.of(credential.apiKey(), credential.authorization(), options.serviceToken)
            .filter(secret -> !secret.isEmpty())
            .reduce(failure.getMessage(), (text, secret) -> text.replace(secret, "[redacted]"));
    String line = RequestNames.tidy(message, 300);
    call(options.onError, new Failure(failure.code, line, shownId(question)));
    if (options.logFailures && !failure.code.equals("CANCELLED")) log(failure.code, line);
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
        headers.put("Latchkey-Key-Expires", SHOWN.of(decision.principal().expiresAt()));
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
      case 429 -> headers.put("Retry-After", Long.toString(decision.retryAfterSeconds()));
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
    return leases.counts();
  }

  /** Each report is sent once, never again. The end of the guard waits for those under way. */
  private void report() {
    synchronized (reporter) {
      List<Map<String, Object>> uses = leases.tidy();
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (int from = 0; from < uses.size(); from += MOST_REPORTED) {
        var part = Map.of("uses", uses.subList(from, Math.min(uses.size(), from + MOST_REPORTED)));
        sent.add(
            transport
                .post("ReportUses", part, System.nanoTime() + SECOND)
                .handle((body, problem) -> null));
      }
      sent.forEach(CompletableFuture::join);
    }
  }

  /** Reports what leases were used for, and ends the guard. Later requests are refused with 503. */
  @Override
  public void close() {
    isClosed = true;
    reporter.shutdown();
    report();
    transport.close();
  }
}

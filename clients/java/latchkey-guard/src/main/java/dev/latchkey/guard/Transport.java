package dev.latchkey.guard;

import static com.fasterxml.jackson.annotation.JsonSetter.Value.forValueNulls;
import static com.fasterxml.jackson.annotation.Nulls.AS_EMPTY;
import static com.fasterxml.jackson.annotation.Nulls.FAIL;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** One POST to Latchkey over HTTP/1.1: no redirect, no proxy that something outside names. */
final class Transport {
  /**
   * Reads exact types and no member twice, as proto3 does: missing or null is a type's default, and
   * a member of a newer Latchkey is ignored.
   */
  static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .withCoercionConfigDefaults(
              types -> {
                for (var shape : CoercionInputShape.values()) {
                  types.setCoercion(shape, CoercionAction.Fail);
                }
              })
          .withConfigOverride(String.class, each -> each.setSetterInfo(forValueNulls(AS_EMPTY)))
          .withConfigOverride(List.class, each -> each.setSetterInfo(forValueNulls(AS_EMPTY, FAIL)))
          .build();

  private static final String UNREADABLE = "UNREADABLE_ANSWER";
  private static final int MOST_BYTES = 64 << 10;
  private static final Predicate<String> IS_WINDOW =
      Pattern.compile("[1-9][0-9]{0,8}").asMatchPredicate();

  /**
   * Latchkey closes unused connections after 75 s. HttpClient keeps them for longer, and uses the
   * one that was idle longest, so no client gets older than this.
   */
  private static final long OLDEST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final GuardBuilder options;
  private final URI service;
  private HttpClient client;
  private long builtAt;

  Transport(GuardBuilder options) {
    this.options = options;
    service = URI.create(options.target).resolve("/latchkey.v1.ApiKeyService/");
    // Before the first request, whose deadline this would use up.
    client();
  }

  /** There is no usable answer. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final String code;
    final boolean mayRetry;

    FailedException(String code, String message, boolean mayRetry) {
      super(String.valueOf(message), null, false, false);
      this.code = code;
      this.mayRetry = mayRetry;
    }

    static FailedException unreadable(String message) {
      return new FailedException(UNREADABLE, message, false);
    }
  }

  /**
   * The body of an answer with the status 200.
   *
   * @param window of the rate limit, as an older Latchkey shows it; or empty
   */
  record Body(byte[] bytes, String window) {}

  /** An error of the Connect protocol. */
  private record Problem(String code, String message) {}

  /** Ends with what {@link #failureOf} reads, if there is no usable answer until the deadline. */
  CompletableFuture<Body> post(String method, Map<String, ?> message, long deadline) {
    var body = new CompletableFuture<Body>();
    try {
      long leftNanos = deadline - System.nanoTime();
      var request = requestOf(method, message, leftNanos);
      if (leftNanos <= 0) throw new TimeoutException();
      var exchange = client().sendAsync(request, head -> collect(head, body));
      // HttpClient uses a pool for this that others may keep busy, so only failures come this way.
      exchange.exceptionally(
          problem -> {
            body.completeExceptionally(problem);
            return null;
          });
      // This closes the connection. One that answered to its end may serve others now.
      body.orTimeout(leftNanos, TimeUnit.NANOSECONDS)
          .whenComplete(
              (result, problem) -> {
                if (problem instanceof TimeoutException) exchange.cancel(true);
              });
    } catch (IOException | TimeoutException | RuntimeException e) {
      // It ends this one call, so that nobody waits for it.
      body.completeExceptionally(e);
    }
    return body;
  }

  private HttpRequest requestOf(String method, Map<String, ?> message, long leftNanos)
      throws IOException {
    long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(service.resolve(method))
            .header("Content-Type", "application/json")
            .header("User-Agent", "latchkey-guard-java")
            .header("Connect-Timeout-Ms", Long.toString(leftMs))
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(message)));
    if (!options.serviceToken.isEmpty()) {
      request.header("Authorization", "Bearer " + options.serviceToken);
    }
    return request.build();
  }

  private static BodySubscriber<Void> collect(ResponseInfo head, CompletableFuture<Body> body) {
    var bytes = new ByteArrayOutputStream();
    String type = head.headers().firstValue("Content-Type").orElse("").split(";", 2)[0].strip();
    return BodySubscribers.ofByteArrayConsumer(
        part -> {
          part.ifPresent(bytes::writeBytes);
          if (bytes.size() > MOST_BYTES || !type.equalsIgnoreCase("application/json")) {
            var problem =
                FailedException.unreadable(
                    "more than 64 KiB, or another type: is target Latchkey's SERVICES_PORT?");
            body.completeExceptionally(problem);
            // HttpClient closes the connection.
            throw problem;
          }
          if (part.isPresent()) return;
          if (head.statusCode() == 200) {
            var seconds = head.headers().firstValue("Latchkey-Ratelimit-Window");
            String window = seconds.filter(IS_WINDOW).map(each -> each + "s").orElse("");
            body.complete(new Body(bytes.toByteArray(), window));
          } else {
            body.completeExceptionally(errorOf(head.statusCode(), bytes.toByteArray()));
          }
        });
  }

  private static FailedException errorOf(int status, byte[] body) {
    try {
      Problem problem = JSON.readValue(body, Problem.class);
      if (!problem.code.isEmpty()) {
        boolean mayRetry = status == 503 && problem.code.equals("unavailable");
        return new FailedException(
            problem.code.toUpperCase(Locale.ROOT), problem.message, mayRetry);
      }
    } catch (IOException | RuntimeException e) {
      // This is no error of the Connect protocol, so nothing of Latchkey either.
    }
    return FailedException.unreadable("the status " + status);
  }

  FailedException failureOf(Throwable problem) {
    Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
    if (cause instanceof FailedException failed) {
      // What else the connection brings may belong to other requests, too.
      if (failed.code.equals(UNREADABLE)) forgetConnections();
      return failed;
    }
    if (cause instanceof TimeoutException) {
      return new FailedException("DEADLINE_EXCEEDED", "no answer within the deadline", false);
    }
    if (cause instanceof InterruptedException) {
      return new FailedException("CANCELLED", "the thread was interrupted", false);
    }
    // HttpClient has no other sign for it than its text, which names what it read of an answer.
    boolean hasNoByte =
        cause instanceof ConnectException
            || cause instanceof IOException
                && String.valueOf(cause.getMessage()).contains("received no bytes");
    String what = cause instanceof IOException ? "no answer from " : "no call to ";
    String message = what + options.target + ": " + cause;
    return new FailedException("UNAVAILABLE", message, hasNoByte);
  }

  private synchronized HttpClient client() {
    long now = options.clocks.monotonic().getAsLong();
    if (client == null || now - builtAt > OLDEST_NANOS) {
      var builder =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .proxy(HttpClient.Builder.NO_PROXY);
      if (options.tls != null) builder.sslContext(options.tls);
      client = builder.build();
      builtAt = now;
    }
    return client;
  }

  /**
   * Uses none of the connections again. They are closed once nothing refers to their client. Each
   * client has a thread until then, so a target that never answers well does not cost one a call.
   */
  private synchronized void forgetConnections() {
    long age = options.clocks.monotonic().getAsLong() - builtAt;
    if (age > TimeUnit.SECONDS.toNanos(1)) client = null;
  }

  synchronized void close() {
    client = null;
  }
}

package dev.latchkey.guard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
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
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

/** One POST to Latchkey over HTTP/1.1: no redirect, no proxy that something outside names. */
final class Transport {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_BYTES = 64 << 10;

  /**
   * Latchkey closes unused connections after 75 s. HttpClient keeps them for longer, and uses the
   * one that was idle longest, so no client gets older than this.
   */
  private static final long OLDEST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final GuardBuilder options;
  private final String service;
  private HttpClient client;
  private long builtAt;

  Transport(GuardBuilder options) {
    this.options = options;
    service = options.target.replaceFirst("/$", "") + "/latchkey.v1.ApiKeyService/";
    // Before the first request, whose deadline this would use up.
    client();
  }

  /** There is no usable answer. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final String code;
    final boolean mayRetry;

    FailedException(String code, String message, boolean mayRetry) {
      super(message, null, false, false);
      this.code = code;
      this.mayRetry = mayRetry;
    }

    static FailedException unreadable(String message) {
      return new FailedException("UNREADABLE_ANSWER", message, false);
    }
  }

  /**
   * Ends with what {@link #failureOf} reads, if there is no usable answer in this time.
   *
   * @param read takes an answer's body, and the window of its rate limit or an empty text
   */
  <T> CompletableFuture<T> post(
      String method, Map<String, ?> message, long leftNanos, BiFunction<byte[], String, T> read) {
    var answer = new CompletableFuture<T>();
    try {
      if (leftNanos <= 0) throw new TimeoutException();
      var request = requestOf(method, message, leftNanos);
      var exchange = client().sendAsync(request, head -> collect(head, answer, read));
      answer
          .orTimeout(leftNanos, TimeUnit.NANOSECONDS)
          .whenComplete(
              (result, problem) -> {
                // This closes the connection. One that answered to its end may serve others now.
                if (problem instanceof TimeoutException) exchange.cancel(true);
              });
      // HttpClient uses a pool for this that others may keep busy, so only failures come this way.
      exchange.whenComplete(
          (response, problem) -> {
            if (problem != null) answer.completeExceptionally(problem);
          });
    } catch (IOException | TimeoutException | RuntimeException e) {
      // It ends this one call, so that nobody waits for it.
      answer.completeExceptionally(e);
    }
    return answer;
  }

  private HttpRequest requestOf(String method, Map<String, ?> message, long leftNanos)
      throws IOException {
    long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service + method))
            .header("Content-Type", "application/json")
            .header("User-Agent", "latchkey-guard-java")
            .header("Connect-Timeout-Ms", Long.toString(leftMs))
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(message)));
    if (!options.serviceToken.isEmpty()) {
      request.header("Authorization", "Bearer " + options.serviceToken);
    }
    return request.build();
  }

  /** HttpClient closes a connection in whose answer this throws. */
  private static <T> BodySubscriber<Void> collect(
      ResponseInfo head, CompletableFuture<T> answer, BiFunction<byte[], String, T> read) {
    var body = new ByteArrayOutputStream();
    return BodySubscribers.ofByteArrayConsumer(
        part -> {
          try {
            body.writeBytes(part.orElse(new byte[0]));
            checkSoFar(head, body.size());
            if (part.isPresent()) return;
            String window = head.headers().firstValue("Latchkey-Ratelimit-Window").orElse("");
            if (head.statusCode() != 200) throw errorOf(head, body.toByteArray());
            answer.complete(read.apply(body.toByteArray(), window));
          } catch (FailedException e) {
            answer.completeExceptionally(e);
            throw e;
          }
        });
  }

  private static void checkSoFar(ResponseInfo head, int bytes) {
    String type = head.headers().firstValue("Content-Type").orElse("").split(";", 2)[0].strip();
    if (bytes > MOST_BYTES || !type.equalsIgnoreCase("application/json")) {
      throw FailedException.unreadable(
          "more than 64 KiB, or another type: is target Latchkey's SERVICES_PORT?");
    }
  }

  private static FailedException errorOf(ResponseInfo head, byte[] body) {
    JsonNode problem = MissingNode.getInstance();
    try {
      problem = JSON.readTree(body);
    } catch (IOException e) {
      // It has no code, either.
    }
    String code = problem.path("code").asText();
    if (code.isEmpty()) return FailedException.unreadable("the status " + head.statusCode());
    String message = Texts.cut(problem.path("message").asText(), 200);
    boolean mayRetry = head.statusCode() == 503 && code.equals("unavailable");
    return new FailedException(code.toUpperCase(Locale.ROOT), message, mayRetry);
  }

  FailedException failureOf(Throwable problem) {
    Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
    if (cause instanceof FailedException failed) return failed;
    if (cause instanceof TimeoutException) {
      return new FailedException("DEADLINE_EXCEEDED", "no answer within the deadline", false);
    }
    // HttpClient has no other sign for it than its text, which names what it read of an answer.
    boolean hasNoByte =
        cause instanceof ConnectException
            || cause instanceof IOException
                && String.valueOf(cause.getMessage()).contains("received no bytes");
    String message = "no answer from " + options.target + ": " + cause;
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

  /** Uses none of the connections again. They are closed once nothing refers to their client. */
  synchronized void forgetConnections() {
    client = null;
  }
}

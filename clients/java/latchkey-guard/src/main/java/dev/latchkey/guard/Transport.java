package dev.latchkey.guard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One POST to Latchkey over HTTP/1.1. It follows no redirect, and nothing outside names a proxy.
 */
final class Transport {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_BYTES = 64 << 10;

  /**
   * Latchkey closes unused connections after 75 s. HttpClient keeps them for longer, and uses the
   * one that was idle longest, so no client gets older than this.
   */
  private static final long OLDEST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final GuardOptions options;
  private final String service;
  private HttpClient client;
  private long builtAt;

  Transport(GuardOptions options) {
    this.options = options;
    String target = options.target().toString();
    service = (target.endsWith("/") ? target : target + "/") + "latchkey.v1.ApiKeyService/";
    // Before the first request, whose deadline this would use up.
    client();
  }

  /** There is no usable answer. */
  static final class FailedException extends Exception {
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

    static FailedException tooLate() {
      return new FailedException("DEADLINE_EXCEEDED", "no answer within the deadline", false);
    }
  }

  /** An answer with 200, and the window of the rate limit. */
  record Reply(byte[] body, String window) {}

  /**
   * @param leftNanos until the deadline
   * @return ends with a FailedException if there is no answer with 200 by then
   */
  CompletableFuture<Reply> post(String method, Map<String, ?> message, long leftNanos) {
    if (leftNanos <= 0) return CompletableFuture.failedFuture(FailedException.tooLate());
    long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service + method))
            .header("Content-Type", "application/json")
            .header("User-Agent", "latchkey-guard-java")
            .header("Connect-Timeout-Ms", Long.toString(leftMs))
            .POST(BodyPublishers.ofByteArray(bytesOf(message)));
    if (!options.serviceToken().isEmpty()) {
      request.header("Authorization", "Bearer " + options.serviceToken());
    }
    var answer = new CompletableFuture<Reply>();
    var subscriber = new Answer(options.target(), answer);
    var exchange = client().sendAsync(request.build(), subscriber::begin);
    // HttpClient uses a pool for this that others may keep busy, so only failures come this way.
    exchange.whenComplete(
        (response, problem) -> {
          if (problem != null) answer.completeExceptionally(subscriber.failureOf(problem));
        });
    answer.orTimeout(leftNanos, TimeUnit.NANOSECONDS);
    return answer
        .handle(
            (reply, problem) -> {
              if (problem == null) return CompletableFuture.completedFuture(reply);
              // This closes a connection whose answer was not read to its end.
              exchange.cancel(true);
              return CompletableFuture.<Reply>failedFuture(
                  problem instanceof TimeoutException ? FailedException.tooLate() : problem);
            })
        .thenCompose(result -> result);
  }

  static FailedException failureOf(Throwable problem) {
    Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
    if (cause instanceof FailedException failed) return failed;
    return new FailedException("UNAVAILABLE", cause.toString(), false);
  }

  static byte[] bytesOf(Map<String, ?> message) {
    try {
      return JSON.writeValueAsBytes(message);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A question of texts and numbers is JSON", e);
    }
  }

  private synchronized HttpClient client() {
    long now = options.clocks().monotonic().getAsLong();
    if (client == null || now - builtAt > OLDEST_NANOS) {
      var builder =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .proxy(HttpClient.Builder.NO_PROXY);
      if (options.tls() != null) builder.sslContext(options.tls());
      client = builder.build();
      builtAt = now;
    }
    return client;
  }

  /** Uses none of the connections again. They are closed once nothing refers to their client. */
  synchronized void forgetConnections() {
    client = null;
  }

  /** Collects one answer, at most 64 KiB of it. */
  private static final class Answer implements BodySubscriber<Void> {
    private final URI target;
    private final CompletableFuture<Reply> answer;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private volatile ResponseInfo head;
    private Subscription subscription;

    Answer(URI target, CompletableFuture<Reply> answer) {
      this.target = target;
      this.answer = answer;
    }

    BodySubscriber<Void> begin(ResponseInfo info) {
      head = info;
      return this;
    }

    FailedException failureOf(Throwable problem) {
      Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
      boolean mayRetry = head == null && cause instanceof IOException io && hasNoByte(io);
      return new FailedException(
          "UNAVAILABLE", "no answer from " + target + ": " + cause, mayRetry);
    }

    /** HttpClient has no other sign for it than its text, which names what it read of an answer. */
    private static boolean hasNoByte(IOException problem) {
      return problem instanceof ConnectException
          || String.valueOf(problem.getMessage()).contains("received no bytes");
    }

    @Override
    public CompletionStage<Void> getBody() {
      return end;
    }

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
      given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      for (ByteBuffer part : parts) {
        if (read.size() + part.remaining() > MOST_BYTES) {
          subscription.cancel();
          onError(
              FailedException.unreadable("more than 64 KiB: is target Latchkey's SERVICES_PORT?"));
          return;
        }
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        read.writeBytes(bytes);
      }
    }

    @Override
    public void onError(Throwable problem) {
      answer.completeExceptionally(
          problem instanceof FailedException ? problem : failureOf(problem));
      end.completeExceptionally(problem);
    }

    @Override
    public void onComplete() {
      try {
        answer.complete(reply());
      } catch (FailedException e) {
        answer.completeExceptionally(e);
      }
      end.complete(null);
    }

    private Reply reply() throws FailedException {
      String type = head.headers().firstValue("Content-Type").orElse("").split(";", 2)[0].strip();
      if (!type.equalsIgnoreCase("application/json")) {
        throw FailedException.unreadable(
            "another type than JSON: is target Latchkey's SERVICES_PORT?");
      }
      if (head.statusCode() == 200) {
        return new Reply(
            read.toByteArray(), head.headers().firstValue("Latchkey-Ratelimit-Window").orElse(""));
      }
      JsonNode problem = null;
      try {
        problem = JSON.readTree(read.toByteArray());
      } catch (IOException e) {
        // The status alone is named below.
      }
      String code = problem == null ? "" : problem.path("code").asText();
      if (code.isEmpty()) throw FailedException.unreadable("the status " + head.statusCode());
      throw new FailedException(
          code.toUpperCase(Locale.ROOT),
          Texts.cut(problem.path("message").asText(), 200),
          head.statusCode() == 503 && code.equals("unavailable"));
    }
  }
}

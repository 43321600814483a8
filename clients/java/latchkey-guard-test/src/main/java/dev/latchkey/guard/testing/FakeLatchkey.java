package dev.latchkey.guard.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.GuardBuilder;
import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A Latchkey that grants and refuses as a test says, on a free port of this machine. It answers 401
 * to every other key, and judges access and permissions as Latchkey does.
 */
public final class FakeLatchkey implements AutoCloseable {
  /** The service token of {@link #guard}; the fake takes any. */
  public static final String SERVICE_TOKEN = "fake";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant EXPIRY = Instant.parse("2100-01-01T00:00:00Z");

  static {
    // Otherwise the server of the JDK answers after 40 ms.
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Outcome> keys = new ConcurrentHashMap<>();
  private final List<AskedQuestion> questions = new CopyOnWriteArrayList<>();

  private FakeLatchkey(HttpServer server) {
    this.server = server;
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /**
   * Starts a fake.
   *
   * @throws UncheckedIOException there is no free port
   */
  public static FakeLatchkey start() {
    try {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      return new FakeLatchkey(HttpServer.create(address, 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What a guard asked.
   *
   * @param key the API key, without the scheme of its header
   * @param operation what the request does
   * @param permission with the parameters of the route; empty: any good key
   * @param clientIp the client's address; empty if it is not certain
   */
  public record AskedQuestion(
      String key, Operation operation, String permission, String clientIp) {}

  private record Outcome(LatchkeyPrincipal principal, int status, String reason) {}

  /** For the guard's option target, or the property latchkey.target. */
  public String target() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** A guard that asks this fake, with a deadline that a busy machine keeps to. Close it. */
  public Guard guard() {
    return guardBuilder().build();
  }

  /** A guard with further options. */
  public GuardBuilder guardBuilder() {
    return Guard.builder()
        .target(target())
        .serviceToken(SERVICE_TOKEN)
        .deadline(Duration.ofMinutes(1));
  }

  /** Lets a key do what the principal may. */
  public FakeLatchkey grants(String key, LatchkeyPrincipal principal) {
    keys.put(key, new Outcome(principal, 200, ""));
    return this;
  }

  /** Lets a key of the owner owner-1 read and write by these permissions. */
  public FakeLatchkey grants(String key, String... permissions) {
    return grants(key, principal(permissions));
  }

  /** The principal that {@link #grants(String, String...)} grants. */
  public static LatchkeyPrincipal principal(String... permissions) {
    return new LatchkeyPrincipal(
        "key-1", "owner-1", Access.READ_AND_WRITE, List.of(permissions), Map.of(), EXPIRY);
  }

  /**
   * Refuses a key.
   *
   * @param status 401, 403 or 429
   * @param reason such as REVOKED or RATE_LIMITED
   * @throws IllegalArgumentException Latchkey never denies with this status
   */
  public FakeLatchkey refuses(String key, int status, String reason) {
    if (status != 401 && status != 403 && status != 429) {
      throw new IllegalArgumentException("status: " + status + " is not 401, 403 or 429");
    }
    keys.put(key, new Outcome(null, status, reason));
    return this;
  }

  /** What was asked until now. */
  public List<AskedQuestion> questions() {
    return List.copyOf(questions);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    JsonNode message = JSON.readTree(exchange.getRequestBody());
    ObjectNode answer = JSON.createObjectNode();
    if (exchange.getRequestURI().getPath().endsWith("/ValidateKey")) {
      AskedQuestion question = questionOf(message);
      questions.add(question);
      answer.put("requestId", message.path("requestId").asText());
      decide(question, answer);
    }
    byte[] body = JSON.writeValueAsBytes(answer);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static AskedQuestion questionOf(JsonNode message) {
    String authorization = message.path("authorization").asText();
    boolean isBearer = authorization.regionMatches(true, 0, "Bearer ", 0, 7);
    return new AskedQuestion(
        isBearer ? authorization.substring(7) : message.path("apiKey").asText(),
        Operation.valueOf(message.path("operation").asText().replace("OPERATION_", "")),
        message.path("permission").asText(),
        message.path("clientIp").asText());
  }

  private void decide(AskedQuestion question, ObjectNode answer) {
    Outcome outcome = keys.get(question.key());
    if (outcome == null) {
      deny(answer, 401, "INVALID_KEY");
    } else if (outcome.principal() == null) {
      deny(answer, outcome.status(), outcome.reason());
    } else if (outcome.principal().allows(question.operation(), question.permission())) {
      grant(answer, outcome.principal());
    } else if (outcome.principal().allows(question.operation(), "")) {
      deny(answer, 403, "MISSING_PERMISSION");
    } else {
      boolean isWrite = question.operation() == Operation.WRITE;
      deny(answer, 403, isWrite ? "READ_ONLY_KEY" : "OPERATION_NOT_ALLOWED");
    }
  }

  private static void deny(ObjectNode answer, int status, String reason) {
    ObjectNode denial = answer.putObject("denial");
    denial.put("httpStatus", status).put("reason", "REASON_" + reason);
    if (status == 429) denial.put("retryAfter", "1s");
  }

  private static void grant(ObjectNode answer, LatchkeyPrincipal principal) {
    ObjectNode grant = answer.putObject("grant");
    grant.put("keyId", principal.keyId()).put("ownerId", principal.ownerId());
    grant.put("access", "ACCESS_LEVEL_" + principal.access().name());
    grant.put("expiresAt", principal.expiresAt().toString());
    principal.permissions().forEach(grant.putArray("permissions")::add);
    var attributes = grant.putArray("attributes");
    principal
        .attributes()
        .forEach((name, value) -> attributes.addObject().put("name", name).put("value", value));
  }
}

package dev.latchkey.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.latchkey.guard.DecisionEvent.Source;
import dev.latchkey.guard.Leases.Clocks;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Every case of clients/conformance. A subclass serves the routes behind the guard that it was last
 * given, by one framework: each handler answers with {@link #shown}.
 */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class GuardConformance {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private ScriptedLatchkey latchkey;

  /** The port on the loopback interface that the routes are served on. */
  protected abstract int port();

  /** Protects the routes by this guard from now on. */
  protected abstract void use(Guard guard);

  /** Methods and paths that the server refuses with 400, before any guard. */
  protected Set<String> refusedByServer() {
    return Set.of();
  }

  /** What each handler answers. */
  protected static Map<String, Object> shown(LatchkeyPrincipal principal) {
    Instant expiresAt = principal.expiresAt();
    return Map.of(
        "keyId", principal.keyId(),
        "ownerId", principal.ownerId(),
        "access", principal.access().toString(),
        "permissions", principal.permissions(),
        "attributes", principal.attributes(),
        "expiresAt", TIME.format(expiresAt));
  }

  @BeforeAll
  void startLatchkey() throws IOException {
    latchkey = new ScriptedLatchkey();
  }

  @AfterAll
  void stopLatchkey() throws IOException {
    latchkey.close();
  }

  private GuardBuilder builder() {
    return Guard.builder()
        .target(latchkey.url())
        .serviceToken("token")
        .deadline(Duration.ofMinutes(1))
        .logFailures(false);
  }

  private static Stream<DynamicTest> each(String table, Case test) {
    JsonNode cases = ScriptedLatchkey.table(table).path("cases");
    assertFalse(cases.isEmpty());
    return StreamSupport.stream(cases.spliterator(), false)
        .map(each -> DynamicTest.dynamicTest(each.path("name").asText(), () -> test.run(each)));
  }

  private interface Case {
    void run(JsonNode each) throws Exception;
  }

  /** A time that passes only as a case says. */
  private static final class ScriptedClock implements LongSupplier {
    private final AtomicLong ms = new AtomicLong(TimeUnit.HOURS.toMillis(1));

    @Override
    public long getAsLong() {
      return TimeUnit.MILLISECONDS.toNanos(ms.get());
    }

    void pass(JsonNode more) {
      ms.addAndGet(more.asLong());
    }
  }

  @TestFactory
  Stream<DynamicTest> answersEveryCaseOfTheTable() {
    return each("cases.json", this::runCase);
  }

  private void runCase(JsonNode each) throws Exception {
    var source = new AtomicReference<Source>();
    var wall = new ScriptedClock();
    var monotonic = new ScriptedClock();
    GuardBuilder builder =
        builder()
            .onDecision(event -> source.set(event.source()))
            .leases(each.path("options").path("leases").asBoolean())
            .clocks(new Clocks(wall, monotonic));
    JsonNode deadlineMs = each.path("options").path("deadlineMs");
    if (deadlineMs.isNumber()) builder.deadline(Duration.ofMillis(deadlineMs.asLong()));
    try (Guard guard = builder.build()) {
      use(guard);
      for (JsonNode step : each.path("steps")) {
        if (step.has("latchkey")) latchkey.script(step.path("latchkey"));
        wall.pass(step.path("clock").path("wall"));
        monotonic.pass(step.path("clock").path("monotonic"));
        JsonNode request = step.path("request");
        if (request.isMissingNode()) continue;
        int before = latchkey.asked().size();
        var answer =
            RawExchange.send(
                port(),
                request.path("method").asText(),
                request.path("path").asText(),
                request.path("headers"));
        String line = request.path("method").asText() + " " + request.path("path").asText();
        if (refusedByServer().contains(line)) {
          assertEquals(400, answer.status());
          assertEquals(before, latchkey.asked().size());
          continue;
        }
        compare(step.path("expect"), answer);
        if (step.path("expect").has("source")) {
          String expected = step.path("expect").path("source").asText();
          assertEquals(expected, source.get().name().toLowerCase(Locale.ROOT));
        }
        List<JsonNode> asked = latchkey.asked();
        compareAsked(step.path("expect").path("asked"), asked.subList(before, asked.size()));
      }
      // A renewal that comes later would count as a call of the next case.
      RawLatchkey.untilNoCallOf(guard);
    }
  }

  private static void compare(JsonNode expect, RawExchange answer) throws IOException {
    assertEquals(expect.path("status").intValue(), answer.status(), answer.body());
    expect
        .path("headers")
        .properties()
        .forEach(
            header -> {
              String expected = header.getValue().isNull() ? null : header.getValue().asText();
              assertEquals(expected, answer.headers().get(header.getKey()), header.getKey());
            });
    if (expect.path("body").isEmpty()) return;
    JsonNode body = JSON.readTree(answer.body());
    expect
        .path("body")
        .properties()
        .forEach(
            member -> assertEquals(member.getValue(), body.path(member.getKey()), member.getKey()));
  }

  private static void compareAsked(JsonNode expected, List<JsonNode> asked) {
    asked.forEach(each -> assertEquals("Bearer token", each.path("identity").asText()));
    if (expected.isMissingNode()) return;
    assertEquals(expected.isNumber() ? expected.intValue() : 1, asked.size(), "calls");
    expected
        .properties()
        .forEach(
            member -> {
              String sent = asked.get(0).path("question").path(member.getKey()).asText("");
              JsonNode not = member.getValue().path("not");
              if (not.isMissingNode()) {
                assertEquals(member.getValue().asText(""), sent, member.getKey());
              } else {
                not.forEach(text -> assertFalse(sent.equals(text.asText()), member.getKey()));
              }
            });
  }

  @TestFactory
  Stream<DynamicTest> findsEveryCredentialOfTheTable() {
    return each("credentials.json", this::runCredential);
  }

  private void runCredential(JsonNode each) throws Exception {
    String denial = "{'denial': {'reason': 'REASON_INVALID_KEY', 'httpStatus': 401}}";
    String grant =
        "{'grant': {'keyId': 'k', 'ownerId': 'o', 'access': 'ACCESS_LEVEL_READ_ONLY',"
            + " 'expiresAt': '2030-03-17T17:46:40Z'}}";
    int status = each.path("status").intValue();
    String outcome = (status == 200 ? grant : denial).replace('\'', '"');
    latchkey.script(JSON.readTree("[{\"answer\": " + outcome + "}]"));
    List<CredentialForm> forms = new ArrayList<>();
    for (JsonNode form : each.path("credentials")) {
      forms.add(CredentialForm.valueOf(form.asText().toUpperCase(Locale.ROOT).replace('-', '_')));
    }
    try (Guard guard = builder().credentials(forms.toArray(CredentialForm[]::new)).build()) {
      use(guard);
      ArrayNode headers = JsonNodeFactory.instance.arrayNode();
      for (JsonNode header : each.path("headers")) {
        String value = header.path(1).asText().replace("{host}", "127.0.0.1:" + port());
        headers.addArray().add(header.path(0).asText()).add(value);
      }
      var answer = RawExchange.send(port(), "GET", "/systems", headers);
      assertEquals(status, answer.status(), answer.body());
      String challenge = each.path("challenge").asText(null);
      assertEquals(challenge, answer.headers().get("WWW-Authenticate"));
      boolean isPrivate = forms.contains(CredentialForm.X_API_KEY);
      assertEquals(isPrivate, "private".equals(answer.headers().get("Cache-Control")));
      JsonNode question = latchkey.asked().get(0).path("question");
      for (String name : List.of("apiKey", "authorization")) {
        assertEquals(
            each.path("finds").path(name).asText(""), question.path(name).asText(""), name);
      }
    }
  }
}

package dev.latchkey.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ProtectionTest {
  private static GuardBuilder builder() {
    return Guard.builder().target("http://127.0.0.1:1").serviceToken("token");
  }

  private record Request(
      String method, String rawPath, Map<String, List<String>> fields, Map<String, String> route)
      implements GuardedRequest {
    static Request get(String path, String id) {
      return new Request("GET", path, Map.of(), id == null ? Map.of() : Map.of("id", id));
    }

    static Request with(String name, String... values) {
      return new Request("GET", "/systems", Map.of(name, List.of(values)), Map.of());
    }

    @Override
    public List<String> headers(String name) {
      return fields.getOrDefault(name, List.of());
    }

    @Override
    public String parameter(String name) {
      return route.get(name);
    }

    @Override
    public String peerAddress() {
      return "198.51.100.7";
    }
  }

  private static Question ask(GuardBuilder builder, Request request) {
    try (Guard guard = builder.build()) {
      return guard.protect("systems/{id}:read").question(request);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/systems/42,42,systems/42:read",
    "/systems/%34%32,42,",
    "/systems/a%2Fb,a/b,",
    "/systems/%2E%2E,..,",
    "/systems/,'',",
    "/systems/...,...,",
    "/systems/é,é,",
    "/systems/42,,",
    "/systems/42;a=b,42,",
    "/systems/$1,$1,"
  })
  void aParameterIsWhatTheHandlerGetsAndTheRawSegment(String path, String id, String permission) {
    Question question = ask(builder(), Request.get(path, id));
    assertEquals(permission == null ? "" : permission, question.permission());
    assertEquals(permission == null ? Operation.DESTROY : Operation.READ, question.operation());
  }

  @Test
  void whatLooksLikeAnApiKeyIsOne() {
    try (Guard guard = builder().build()) {
      for (String value : List.of("Bearer lk_a", "bearer  lk_a", "lk_a")) {
        assertTrue(guard.isApiKey(Request.with("Authorization", value)), value);
      }
      for (String value : List.of("Bearer eyJ.lk_.x", "Basic eA==", "Bearer xlk_a")) {
        assertFalse(guard.isApiKey(Request.with("Authorization", value)), value);
      }
      assertTrue(guard.isApiKey(Request.with("Authorization", "Bearer eyJ", "Bearer lk_a")));
      assertFalse(guard.isApiKey(Request.with("X-API-Key", "lk_a")));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1,192.0.2.1",
    "192.0.2.1:80,192.0.2.1",
    "[2001:db8::1]:443,2001:db8::1",
    "[2001:db8::1],2001:db8::1",
    "::ffff:192.0.2.1,192.0.2.1",
    "fe80::1%eth0,fe80::1",
    "2001:DB8:0:0:1:0:0:1,2001:db8::1:0:0:1",
    "::,::",
    "::1,::1",
    "1::,1::",
    "'',",
    "unknown,",
    "192.0.2.1:,",
    "'192.0.2.1, 192.0.2.2',",
    "192.0.2,",
    "192.0.2.01,",
    "192.0.2.256,",
    "localhost,",
    "1:2:3,",
    ":,"
  })
  void theAddressIsKnownOnlyIfItIsOne(String given, String address) {
    var own = builder().clientAddress(request -> given);
    assertEquals(address == null ? "" : address, ask(own, Request.get("/", null)).clientIp());
  }

  @Test
  void theAddressIsUnknownIfTheOptionThrows() {
    var own = builder().clientAddress(request -> request.headers("CF-Connecting-IP").get(0));
    assertEquals("", ask(own, Request.get("/", null)).clientIp());
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Forwarded-For", "Forwarded", "X-Real-IP"})
  void theAddressIsUnknownBehindAProxy(String header) {
    assertEquals("", ask(builder(), Request.with(header, "192.0.2.1")).clientIp());
    assertEquals("198.51.100.7", ask(builder(), Request.get("/", null)).clientIp());
  }

  @Test
  void furtherMethodsHaveTheOperationsThatTheyAreGiven() {
    var request = new Request("REPORT", "/systems/42", Map.of(), Map.of("id", "42"));
    assertEquals(Operation.DESTROY, ask(builder(), request).operation());
    var own = builder().operations(Map.of("REPORT", Operation.READ));
    assertEquals(Operation.READ, ask(own, request).operation());
  }

  @Test
  void eachRequestIdEndsInWhatNoClientKnows() {
    String one = requestId("a\nb");
    String other = requestId("a\nb");
    assertTrue(one.matches("ab-[0-9a-f]{16}"), one);
    assertNotEquals(one, other);
    assertTrue(requestId("").matches("[0-9a-f]{16}"));
    assertTrue(requestId("x".repeat(1000)).length() < 120);
  }

  private static String requestId(String given) {
    return new RequestNames(Request.with("X-Request-Id", given)).requestId();
  }

  @Test
  void noTextOfACredentialShowsTheKey() {
    Question question = ask(builder(), Request.with("Authorization", "Bearer lk_secret"));
    assertFalse(question.toString().contains("lk_secret"), question.toString());
    assertEquals("Bearer lk_secret", question.credential().authorization());
  }
}

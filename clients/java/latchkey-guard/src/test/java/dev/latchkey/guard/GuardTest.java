package dev.latchkey.guard;

import static dev.latchkey.guard.RawLatchkey.granted;
import static dev.latchkey.guard.RawLatchkey.json;
import static dev.latchkey.guard.RawLatchkey.questionOf;
import static dev.latchkey.guard.RawLatchkey.until;
import static dev.latchkey.guard.RawLatchkey.untilNoCallOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.latchkey.guard.Leases.Clocks;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A test that waits for what never comes ends by its timeout. */
@Timeout(120)
final class GuardTest {
  private static final String LEASE = ",\"lease\":{\"lengthMs\":2000,\"uses\":50}";

  private static GuardBuilder builder(RawLatchkey latchkey) {
    return Guard.builder()
        .target(latchkey.url())
        .serviceToken("very-secret")
        .deadline(Duration.ofMinutes(1))
        .logFailures(false);
  }

  private static Question question() {
    return new Question(
        new Credential("", "Bearer lk_key"),
        Operation.READ,
        "systems:read",
        "systems:read",
        "192.0.2.7",
        "Bearer",
        new RequestNames(null));
  }

  @Test
  void hooksSeeNoKeyAndOneThatThrowsChangesNothing() {
    List<String> seen = new ArrayList<>();
    // The last one stands where the message is cut.
    String text = "Bearer lk_key, Bearer very-secret" + " ".repeat(257) + "Bearer lk_key";
    try (var latchkey =
            new RawLatchkey(
                call -> json(500, "{\"code\":\"internal\",\"message\":\"" + text + "\"}"));
        Guard guard =
            builder(latchkey)
                .onError(failure -> seen.add(failure.toString()))
                .onDecision(
                    event -> {
                      seen.add(event.toString());
                      throw new IllegalStateException("a hook");
                    })
                .build()) {
      assertEquals(503, guard.check(question()).status());
    }
    assertEquals(2, seen.size());
    assertTrue(seen.get(0).contains("INTERNAL"), seen.get(0));
    assertFalse(String.join(" ", seen).matches(".*(lk_|very-secret).*"), seen.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"code\":\"\"}", "{\"code\":null}", "{\"code\":14}", "{}", "[]", "null", ""})
  void anErrorWithoutACodeIsNoAnswerOfLatchkey(String body) {
    List<String> failures = new ArrayList<>();
    try (var latchkey = new RawLatchkey(call -> json(503, body));
        Guard guard = builder(latchkey).onError(failure -> failures.add(failure.code())).build()) {
      assertEquals(503, guard.check(question()).status());
    }
    assertEquals(List.of("UNREADABLE_ANSWER"), failures);
  }

  @Test
  void aFailureIsOneLineWhateverCame() {
    List<String> failures = new ArrayList<>();
    try (var other =
            new RawLatchkey(call -> json(503, "{\"code\":\"internal\",\"message\":\"a\\nb\"}"));
        var another = new RawLatchkey(call -> json(200, "{\"requestId\":[\"a\\nb\"]}"))) {
      for (RawLatchkey each : List.of(other, another)) {
        try (Guard guard =
            builder(each).onError(failure -> failures.add(failure.message())).build()) {
          assertEquals(503, guard.check(question()).status());
        }
      }
    }
    assertEquals("ab", failures.get(0));
    assertFalse(failures.get(1).contains("\n"), failures.get(1));
    assertTrue(failures.get(1).length() <= 300);
  }

  @Test
  void deniedRequestsAreReportedToTheirHook() {
    List<String> denied = new ArrayList<>();
    String denial = "\"denial\":{\"httpStatus\":401,\"reason\":\"REASON_REVOKED\",\"keyId\":\"k\"}";
    try (var latchkey =
            new RawLatchkey(
                call -> json(200, "{\"requestId\":\"" + call.requestId() + "\"," + denial + "}"));
        Guard guard =
            builder(latchkey)
                .onDenied(event -> denied.add(event.decision().reason() + event.decision().keyId()))
                .build()) {
      assertEquals(401, guard.check(question()).status());
    }
    assertEquals(List.of("REVOKEDk"), denied);
  }

  @Test
  void noProxyAndNoRedirectIsFollowed() {
    ProxySelector before = ProxySelector.getDefault();
    try (var other = RawLatchkey.granting("");
        var redirecting =
            new RawLatchkey(
                call ->
                    "HTTP/1.1 307 Elsewhere\r\nLocation: "
                        + other.url()
                        + "/\r\nContent-Length: 0\r\n\r\n");
        Guard guard = builder(redirecting).build()) {
      int port = Integer.parseInt(other.url().replaceAll(".*:", ""));
      ProxySelector.setDefault(ProxySelector.of(new InetSocketAddress("127.0.0.1", port)));
      assertEquals(503, guard.check(question()).status());
      assertEquals(0, other.accepted.get());
      assertEquals(1, redirecting.calls.get());
    } finally {
      ProxySelector.setDefault(before);
    }
  }

  @Test
  void noSecondCallIsMadeOnceAnAnswerHasBegun() {
    for (String begun :
        List.of(
            "H",
            "HTTP/1.1 200 OK\r\nContent-Ty",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")) {
      try (var latchkey = new RawLatchkey(call -> begun);
          Guard guard = builder(latchkey).build()) {
        assertEquals(503, guard.check(question()).status());
        assertEquals(1, latchkey.calls.get(), begun);
      }
    }
  }

  @Test
  void aConnectionThatLatchkeyClosedCostsNoRequest() {
    var isClosing = new AtomicInteger();
    try (var latchkey =
            new RawLatchkey(
                call -> isClosing.getAndAdd(1) % 2 == 1 ? null : json(200, granted(call, "")));
        Guard guard = builder(latchkey).build()) {
      for (int request = 0; request < 50; request++) {
        assertEquals(200, guard.check(question()).status());
      }
    }
  }

  @Test
  void aConnectionWhoseAnswerWasNotReadToItsEndIsClosed() {
    String head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
    for (String answer :
        List.of(head + "1000000\r\n\r\n" + "x".repeat(70_000), head + "9\r\n\r\n{", head, "")) {
      try (var latchkey = RawLatchkey.beginning(answer);
          Guard guard = builder(latchkey).deadline(Duration.ofSeconds(1)).build()) {
        assertEquals(503, guard.check(question()).status());
        until(() -> latchkey.accepted.get() > 0 && latchkey.open() == 0);
      }
    }
  }

  @Test
  void aTargetThatNeverAnswersWellCostsNoThreadForEachRequest() {
    try (var other = new RawLatchkey(call -> json(200, "{\"requestId\":\"of another\"}"));
        Guard guard = builder(other).build()) {
      long before = clientThreads();
      for (int request = 0; request < 50; request++) {
        assertEquals(503, guard.check(question()).status());
      }
      assertTrue(clientThreads() - before < 10);
    }
  }

  @Test
  void noConnectionIsUsedAgainThatBroughtAnAnswerToAnotherRequest() {
    var now = new AtomicLong();
    var clocks = new Clocks(now::get, now::get);
    var asked = new AtomicInteger();
    try (var latchkey =
            new RawLatchkey(
                call -> {
                  String answer = granted(call, "");
                  boolean isWrong = asked.incrementAndGet() == 1;
                  return json(200, isWrong ? answer.replace(call.requestId(), "x") : answer);
                });
        Guard guard = builder(latchkey).clocks(clocks).build()) {
      now.addAndGet(TimeUnit.SECONDS.toNanos(2));
      assertEquals(503, guard.check(question()).status());
      assertEquals(200, guard.check(question()).status());
      assertEquals(2, latchkey.accepted.get());
    }
  }

  private static long clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().endsWith("SelectorManager"))
        .count();
  }

  @Test
  void aConnectionIsNotUsedOnceLatchkeyMayHaveClosedIt() {
    var now = new AtomicLong();
    var clocks = new Clocks(now::get, now::get);
    try (var latchkey = RawLatchkey.granting("");
        Guard guard = builder(latchkey).clocks(clocks).build()) {
      // Also while others keep the guard busy: a connection may be idle next to them.
      for (int second = 0; second <= 60; second += 20) {
        assertEquals(200, guard.check(question()).status());
        now.addAndGet(TimeUnit.SECONDS.toNanos(20));
      }
      assertEquals(1, latchkey.accepted.get());
      assertEquals(200, guard.check(question()).status());
      assertEquals(2, latchkey.accepted.get());
    }
  }

  @Test
  void aThreadThatIsInterruptedEndsNobodyElsesCall() throws Exception {
    var release = new CountDownLatch(1);
    var threads = Executors.newCachedThreadPool();
    try (var latchkey =
            new RawLatchkey(
                call -> {
                  release.await();
                  return json(200, granted(call, LEASE));
                });
        Guard guard = builder(latchkey).leases(true).build()) {
      var leading = new CompletableFuture<Integer>();
      Question one = question();
      Thread leader = new Thread(() -> leading.complete(guard.check(one).status()));
      leader.start();
      until(() -> latchkey.calls.get() == 1);
      Future<Integer> follower = threads.submit(() -> guard.check(one).status());
      leader.interrupt();
      assertEquals(503, leading.get());
      release.countDown();
      assertEquals(200, follower.get());
      assertEquals(1, latchkey.calls.get());
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aHotKeyCostsFewCallsAndEveryUseIsReportedOnce() throws Exception {
    var reported = new AtomicLong();
    var wrong = new ConcurrentLinkedQueue<JsonNode>();
    var threads = Executors.newFixedThreadPool(20);
    try (var latchkey =
        new RawLatchkey(
            call -> {
              if (call.method().equals("ReportUses")) {
                for (JsonNode use : call.message().path("uses")) {
                  boolean isRight =
                      use.path("authorization").asText().equals("Bearer lk_key")
                          && use.path("clientIp").asText().equals("192.0.2.7")
                          && use.path("permission").asText().equals("systems:read")
                          && use.path("operation").asText().equals("OPERATION_READ");
                  if (!isRight) wrong.add(use);
                  reported.addAndGet(use.path("count").asLong());
                }
                return json(200, "{}");
              }
              long uses = call.message().path("leaseWish").path("uses").asLong();
              String lease = ",\"lease\":{\"lengthMs\":2000,\"uses\":" + uses + "}";
              return json(200, granted(call, uses > 0 ? lease : ""));
            })) {
      Guard guard = builder(latchkey).leases(true).build();
      List<Future<Boolean>> callers = new ArrayList<>();
      for (int caller = 0; caller < 20; caller++) {
        callers.add(
            threads.submit(
                () -> {
                  boolean areGranted = true;
                  for (int request = 0; request < 100; request++) {
                    areGranted &= guard.check(question()).isGranted();
                  }
                  return areGranted;
                }));
      }
      for (Future<Boolean> caller : callers) assertTrue(caller.get());
      untilNoCallOf(guard);
      assertTrue(guard.leases().spent() > 0);
      guard.close();
      assertTrue(latchkey.calls.get() <= 500, latchkey.calls + " calls");
      assertEquals(2000, reported.get() + latchkey.calls.get());
      assertEquals(List.of(), List.copyOf(wrong));
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestThatCannotBeReadIs503AndEndsItsCall(boolean leases) {
    var answers = new ConcurrentLinkedQueue<String>();
    try (var latchkey = RawLatchkey.granting(LEASE);
        Guard guard =
            builder(latchkey)
                .leases(leases)
                .onError(failure -> answers.add(failure.code()))
                .onDecision(event -> answers.add(event.decision().status() + event.requestId()))
                .build()) {
      assertEquals(503, guard.check(unreadable()).status());
      assertEquals(List.of("UNAVAILABLE", "503"), List.copyOf(answers));
      untilNoCallOf(guard);
      assertEquals(200, guard.check(question()).status());
      assertEquals(1, latchkey.calls.get());
    }
  }

  @Test
  void aRequestThatCannotBeReadIsGrantedFromALeaseAndEndsItsRenewal() {
    try (var latchkey = RawLatchkey.granting(",\"lease\":{\"lengthMs\":2000,\"uses\":1}");
        Guard guard = builder(latchkey).leases(true).onDecision(event -> {}).build()) {
      assertEquals(200, guard.check(question()).status());
      assertEquals(200, guard.check(unreadable()).status());
      assertEquals(1, guard.leases().spent());
      untilNoCallOf(guard);
      assertEquals(1, latchkey.calls.get());
    }
  }

  /** The question of an adapter that throws. */
  private static Question unreadable() {
    var request =
        (GuardedRequest)
            Proxy.newProxyInstance(
                GuardTest.class.getClassLoader(),
                new Class<?>[] {GuardedRequest.class},
                (proxy, method, args) -> {
                  throw new IllegalStateException("the request was recycled");
                });
    Question one = question();
    return new Question(
        one.credential(),
        one.operation(),
        one.permission(),
        one.template(),
        one.clientIp(),
        one.challenge(),
        new RequestNames(request));
  }

  @Test
  void aUseWhoseRenewalFailsIsReported() {
    var reported = new AtomicLong();
    var asked = new AtomicInteger();
    try (var latchkey =
        new RawLatchkey(
            call -> {
              if (call.method().equals("ReportUses")) {
                call.message()
                    .path("uses")
                    .forEach(use -> reported.addAndGet(use.path("count").asLong()));
                return json(200, "{}");
              }
              return asked.incrementAndGet() == 1
                  ? json(200, granted(call, ",\"lease\":{\"lengthMs\":2000,\"uses\":1}"))
                  : json(400, "{\"code\":\"invalid_argument\"}");
            })) {
      Guard guard = builder(latchkey).leases(true).build();
      assertEquals(200, guard.check(question()).status());
      assertEquals(200, guard.check(question()).status());
      untilNoCallOf(guard);
      guard.close();
      assertEquals(2, asked.get());
      assertEquals(1, reported.get());
    }
  }

  @Test
  void deniedCredentialsLeaveNothingBehindWithoutLeases() {
    String denial = "\"denial\":{\"httpStatus\":401,\"reason\":\"REASON_REVOKED\"}}";
    try (var latchkey =
            new RawLatchkey(
                call -> json(200, "{\"requestId\":\"" + call.requestId() + "\"," + denial));
        Guard guard = builder(latchkey).build()) {
      assertEquals(401, guard.check(question()).status());
      assertTrue(guard.leases.keys.isEmpty());
    }
  }

  /** Absent would mean unknown. */
  @Test
  void aUseThatNeededNoPermissionIsReportedWithAnEmptyOne() {
    var reported = new ConcurrentLinkedQueue<JsonNode>();
    try (var latchkey =
        new RawLatchkey(
            call -> {
              if (call.method().equals("ReportUses")) {
                call.message().path("uses").forEach(reported::add);
                return json(200, "{}");
              }
              return json(200, granted(call, ",\"lease\":{\"lengthMs\":2000,\"uses\":100}"));
            })) {
      Guard guard = builder(latchkey).leases(true).build();
      Question without = questionOf("lk_key");
      assertEquals(200, guard.check(without).status());
      assertEquals(200, guard.check(without).status());
      guard.close();
      assertEquals("", reported.remove().path("permission").asText("absent"));
    }
  }

  @Test
  void aRenewalThatIsRefusedWith401EndsItsLease() {
    var asked = new AtomicInteger();
    String denial = ",\"denial\":{\"httpStatus\":401,\"reason\":\"REASON_REVOKED\"}}";
    try (var latchkey =
            new RawLatchkey(
                call ->
                    asked.incrementAndGet() == 1
                        ? json(200, granted(call, ",\"lease\":{\"lengthMs\":2000,\"uses\":5}"))
                        : json(200, "{\"requestId\":\"" + call.requestId() + "\"" + denial));
        Guard guard = builder(latchkey).leases(true).clocks(new Clocks(() -> 0, () -> 0)).build()) {
      // The lease is renewed at four of its five uses.
      for (int request = 0; request < 5; request++) {
        assertEquals(200, guard.check(question()).status());
      }
      untilNoCallOf(guard);
      assertEquals(401, guard.check(question()).status());
    }
  }

  /** Latchkey may read the key as soon as the call is sent. */
  @Test
  void theTimeOfALeaseCountsFromBeforeItsCallByBothClocks() {
    var now = new AtomicLong();
    for (var clocks : List.of(new Clocks(now::get, () -> 0), new Clocks(() -> 0, now::get))) {
      try (var latchkey =
              new RawLatchkey(
                  call -> {
                    now.addAndGet(TimeUnit.SECONDS.toNanos(1));
                    return json(200, granted(call, LEASE));
                  });
          Guard guard = builder(latchkey).leases(true).clocks(clocks).build()) {
        assertEquals(200, guard.check(question()).status());
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(800));
        assertEquals(200, guard.check(question()).status());
        assertEquals(2, latchkey.calls.get());
      }
    }
  }

  @Test
  void whatAHandlerGetsCannotBeChanged() {
    try (var latchkey = RawLatchkey.granting(LEASE);
        Guard guard = builder(latchkey).leases(true).build()) {
      List<String> permissions = guard.check(question()).principal().permissions();
      assertThrows(UnsupportedOperationException.class, () -> permissions.set(0, "users:write"));
    }
  }

  @Test
  void eachFailureIsReportedOnce() {
    for (boolean hasLeases : List.of(false, true)) {
      List<String> failures = new ArrayList<>();
      var isOver = new CountDownLatch(1);
      try (var latchkey =
              new RawLatchkey(
                  call -> {
                    isOver.await();
                    return null;
                  });
          Guard guard =
              builder(latchkey)
                  .leases(hasLeases)
                  .deadline(Duration.ofMillis(50))
                  .onError(failure -> failures.add(failure.code()))
                  .build()) {
        assertEquals(503, guard.check(question()).status());
      } finally {
        isOver.countDown();
      }
      assertEquals(List.of("DEADLINE_EXCEEDED"), failures);
    }
  }

  @Test
  void aClosedGuardRefuses() {
    try (var latchkey = RawLatchkey.granting(LEASE)) {
      Guard guard = builder(latchkey).leases(true).build();
      assertEquals(200, guard.check(question()).status());
      guard.close();
      guard.close();
      assertEquals(503, guard.check(question()).status());
    }
  }

  @Test
  void anAnswerThatRepeatsAMemberOrHasMoreBehindItIs503() {
    for (String more : List.of(",\"grant\":{}}", "} {}", "}}")) {
      try (var latchkey =
              new RawLatchkey(call -> json(200, granted(call, "").replaceFirst("}$", "") + more));
          Guard guard = builder(latchkey).build()) {
        assertEquals(503, guard.check(question()).status(), more);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"lengthMs\":2000,\"uses\":50,\"allowedNetworks\":[null]}",
        "{\"lengthMs\":\"2000\",\"uses\":50}",
        "{\"lengthMs\":2000,\"uses\":true}",
        "{\"lengthMs\":2000,\"uses\":50,\"hasOwnPermissions\":1}",
        "[]"
      })
  void aLeaseOfOtherTypesIs503(String lease) {
    try (var latchkey = RawLatchkey.granting(",\"lease\":" + lease);
        Guard guard = builder(latchkey).leases(true).build()) {
      assertEquals(503, guard.check(question()).status());
    }
  }

  @Test
  void onlyACertifiedLatchkeyIsAsked(@TempDir Path folder) throws Exception {
    Path store = folder.resolve("store.p12");
    String[] command = {
      "keytool",
      "-genkeypair",
      "-alias",
      "latchkey",
      "-keyalg",
      "EC",
      "-dname",
      "CN=localhost",
      "-ext",
      "SAN=dns:localhost",
      "-storepass",
      "changeit",
      "-keystore",
      store.toString(),
    };
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
    SSLContext own = contextOf(store);
    HttpsServer latchkey =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    latchkey.setHttpsConfigurator(new HttpsConfigurator(own));
    var protocol = new AtomicReference<String>();
    latchkey.createContext(
        "/",
        exchange -> {
          protocol.set(exchange.getProtocol());
          JsonNode question = Transport.JSON.readTree(exchange.getRequestBody());
          var call = new RawLatchkey.Call("ValidateKey", question, null);
          TestServer.answer(exchange, 200, granted(call, ""));
        });
    latchkey.start();
    try {
      int port = latchkey.getAddress().getPort();
      for (String host : List.of("localhost", "127.0.0.1")) {
        GuardBuilder builder =
            Guard.builder()
                .target("https://" + host + ":" + port)
                .serviceToken("token")
                .deadline(Duration.ofMinutes(1))
                .logFailures(false);
        try (Guard stranger = builder.build();
            Guard guard = builder.tls(own).build()) {
          assertEquals(503, stranger.check(question()).status());
          // The certificate has the name alone.
          int expected = host.equals("localhost") ? 200 : 503;
          assertEquals(expected, guard.check(question()).status(), host);
        }
      }
      assertEquals("HTTP/1.1", protocol.get());
    } finally {
      latchkey.stop(0);
    }
  }

  private static SSLContext contextOf(Path file) throws Exception {
    char[] password = "changeit".toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, password);
    }
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("latchkey", store.getCertificate("latchkey"));
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}

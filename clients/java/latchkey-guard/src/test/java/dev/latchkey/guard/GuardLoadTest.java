package dev.latchkey.guard;

import static dev.latchkey.guard.RawLatchkey.json;
import static dev.latchkey.guard.RawLatchkey.questionOf;
import static dev.latchkey.guard.RawLatchkey.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class GuardLoadTest {
  /** Grants every key to the owner of the same name, with a lease for one use. */
  private static String own(RawLatchkey.Call call) {
    String key = call.message().path("authorization").asText().replace("Bearer ", "");
    String grant = RawLatchkey.granted(call, ",\"lease\":{\"lengthMs\":2000,\"uses\":1}");
    return json(200, grant.replace("\"ownerId\":\"o\"", "\"ownerId\":\"" + key + "\""));
  }

  private static Guard guardOf(RawLatchkey latchkey, boolean hasLeases) {
    return Guard.builder()
        .target(latchkey.url())
        .serviceToken("token")
        .deadline(Duration.ofMinutes(1))
        .leases(hasLeases)
        .logFailures(false)
        .build();
  }

  @Test
  void onlyARequestWithoutALatchkeyIs503AndEveryOtherGetsItsOwnAnswer() throws Exception {
    var granted = new AtomicInteger();
    var refused = new AtomicInteger();
    var wrong = new AtomicInteger();
    // Latchkey is up in the even ones.
    var phase = new AtomicInteger();
    var isOver = new AtomicBoolean();
    var threads = Executors.newFixedThreadPool(8);
    try (var latchkey = new RawLatchkey(GuardLoadTest::own)) {
      Guard guard = guardOf(latchkey, true);
      List<Future<?>> clients = new ArrayList<>();
      for (int client = 0; client < 8; client++) {
        String prefix = "lk_" + client + "_";
        clients.add(
            threads.submit(
                () -> {
                  for (int number = 0; !isOver.get(); number++) {
                    String key = prefix + number / 3;
                    int begun = phase.get();
                    Decision decision = guard.check(questionOf(key));
                    boolean wasUp = begun % 2 == 0 && begun == phase.get();
                    if (decision.status() == 503 && !wasUp) refused.incrementAndGet();
                    else if (isOf(decision, key)) granted.incrementAndGet();
                    else wrong.incrementAndGet();
                  }
                }));
      }
      awaitMore(granted);
      phase.incrementAndGet();
      latchkey.kill();
      awaitMore(refused);
      latchkey.start();
      phase.incrementAndGet();
      awaitMore(granted);
      isOver.set(true);
      for (Future<?> client : clients) client.get();
      assertEquals(0, wrong.get());
      guard.close();
    } finally {
      isOver.set(true);
      threads.shutdownNow();
    }
  }

  private static boolean isOf(Decision decision, String key) {
    return decision.isGranted() && decision.principal().ownerId().equals(key);
  }

  private static void awaitMore(AtomicInteger count) {
    int before = count.get();
    until(() -> count.get() > before + 100);
  }

  @Test
  void interruptedThreadsDisturbNoOtherRequest() throws Exception {
    for (boolean hasLeases : List.of(false, true)) {
      var release = new CountDownLatch(1);
      var interrupted = Executors.newFixedThreadPool(20);
      var kept = Executors.newFixedThreadPool(20);
      try (var latchkey =
              new RawLatchkey(
                  call -> {
                    release.await();
                    return own(call);
                  });
          Guard guard = guardOf(latchkey, hasLeases)) {
        List<Future<Integer>> given = new ArrayList<>();
        List<Future<String>> others = new ArrayList<>();
        for (int number = 0; number < 20; number++) {
          String key = "lk_" + number;
          given.add(interrupted.submit(() -> guard.check(questionOf(key)).status()));
          others.add(kept.submit(() -> guard.check(questionOf(key)).principal().ownerId()));
        }
        // With leases, one for each key.
        int calls = hasLeases ? 20 : 40;
        until(() -> latchkey.calls.get() == calls);
        interrupted.shutdownNow();
        for (Future<Integer> each : given) assertEquals(503, each.get());
        release.countDown();
        for (int number = 0; number < 20; number++) {
          assertEquals("lk_" + number, others.get(number).get());
        }
      } finally {
        kept.shutdownNow();
      }
    }
  }

  @Test
  void workThatKeepsTheCommonPoolBusyDelaysNoDecision() throws Exception {
    var release = new CountDownLatch(1);
    for (int worker = 0; worker < ForkJoinPool.getCommonPoolParallelism() + 1; worker++) {
      ForkJoinPool.commonPool()
          .execute(
              () -> {
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
    }
    try (var latchkey = new RawLatchkey(GuardLoadTest::own);
        Guard guard = guardOf(latchkey, false)) {
      assertEquals(200, guard.check(questionOf("lk_a")).status());
    } finally {
      release.countDown();
    }
  }
}

package dev.latchkey.guard.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.latchkey.guard.Guard;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.testing.FakeLatchkeyTest.Request;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class RunningLatchkeyTest {
  @Test
  void aRealLatchkeyGrantsUntilAKeyIsRevoked() throws InterruptedException {
    var variables = Map.of("LEASE_MS", "2000");
    try (RunningLatchkey latchkey = RunningLatchkey.start(Path.of("../../.."), variables);
        Guard guard =
            Guard.builder()
                .target(latchkey.target())
                .serviceToken(latchkey.serviceToken())
                .deadline(Duration.ofMinutes(1))
                .leases(true)
                .build()) {
      var key = latchkey.newKey(Access.READ_ONLY);
      assertThat(key.toString()).doesNotContain(key.secret());
      var request = new Request("GET", key.secret());
      assertThat(request.decide(guard).principal().ownerId()).isNotEmpty();
      assertThat(new Request("POST", key.secret()).decide(guard).status()).isEqualTo(403);
      // Callers go on while the key is revoked: none of them is granted once that was answered.
      var isRevoked = new AtomicBoolean();
      List<CompletableFuture<Integer>> callers = new ArrayList<>();
      for (int caller = 0; caller < 4; caller++) {
        callers.add(
            CompletableFuture.supplyAsync(
                () -> {
                  while (!isRevoked.get()) request.decide(guard);
                  return request.decide(guard).status();
                },
                work -> new Thread(work).start()));
      }
      while (guard.leases().spent() == 0) Thread.sleep(5);
      latchkey.revoke(key);
      isRevoked.set(true);
      assertThat(callers).allSatisfy(caller -> assertThat(caller.join()).isEqualTo(401));
    }
  }

  @Test
  void aLatchkeyThatEndsSaysWhy(@TempDir Path empty) {
    assertThatIllegalStateException()
        .isThrownBy(() -> RunningLatchkey.start(empty, Map.of()))
        .withMessageContaining("start.mjs");
  }
}

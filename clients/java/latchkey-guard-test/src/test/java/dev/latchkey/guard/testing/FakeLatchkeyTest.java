package dev.latchkey.guard.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.GuardedRequest;
import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.Operation;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FakeLatchkeyTest {
  /** A request for one system. */
  record Request(String method, String key) implements GuardedRequest {
    @Override
    public List<String> headers(String name) {
      return name.equals("Authorization") ? List.of("Bearer " + key) : List.of();
    }

    @Override
    public String rawPath() {
      return "/systems/42";
    }

    @Override
    public String parameter(String name) {
      return "42";
    }

    @Override
    public String peerAddress() {
      return "192.0.2.7";
    }

    Decision decide(Guard guard) {
      return guard.protect("systems/{id}:read").forWrites("systems/{id}:write").check(this);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET,all,200",
    "POST,all,200",
    "DELETE,all,403",
    "GET,one,403",
    "GET,reads,200",
    "POST,reads,403",
    "GET,busy,429",
    "GET,none,401"
  })
  void theFakeGrantsAndRefusesAsItIsTold(String method, String key, int status) {
    Instant never = Instant.parse("2100-01-01T00:00:00Z");
    var reads =
        new LatchkeyPrincipal(
            "k", "acme", Access.READ_ONLY, List.of("systems:read"), Map.of("tenant", "a"), never);
    try (FakeLatchkey fake = FakeLatchkey.start();
        Guard guard = fake.guard()) {
      fake.grants("all", "systems:read", "systems:write")
          .grants("one", "systems/4:read")
          .grants("reads", reads)
          .refuses("busy", 429, "RATE_LIMITED");
      Decision decision = new Request(method, key).decide(guard);
      assertThat(decision.status()).isEqualTo(status);
      if (key.equals("reads") && status == 200) assertThat(decision.principal()).isEqualTo(reads);
      var asked = fake.questions().get(0);
      assertThat(asked.key()).isEqualTo(key);
      assertThat(asked.permission()).startsWith("systems/42:");
      assertThat(asked.clientIp()).isEqualTo("192.0.2.7");
      assertThat(asked.operation()).isIn(Operation.READ, Operation.WRITE, Operation.DESTROY);
    }
  }

  @Test
  void aStatusThatLatchkeyNeverDeniesWithIsNamed() {
    try (FakeLatchkey fake = FakeLatchkey.start()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> fake.refuses("key", 500, "REVOKED"))
          .withMessageContaining("500");
    }
  }
}

package dev.latchkey.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.testing.RunningLatchkey;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.client.TestRestTemplate;
import org.springframework.http.RequestEntity;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@Timeout(300)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "latchkey.deadline=1m")
class RealLatchkeyTest {
  private static final RunningLatchkey LATCHKEY =
      RunningLatchkey.start(Path.of("../.."), Map.of("LEASE_MS", "2000"));

  @Autowired private TestRestTemplate client;

  @DynamicPropertySource
  static void latchkey(DynamicPropertyRegistry properties) {
    properties.add("latchkey.target", LATCHKEY::target);
    properties.add("latchkey.service-token", LATCHKEY::serviceToken);
  }

  @AfterAll
  static void stop() {
    LATCHKEY.close();
  }

  private int status(RunningLatchkey.Key key) {
    var request = RequestEntity.get("/systems").header("Authorization", "Bearer " + key.secret());
    return client.exchange(request.build(), String.class).getStatusCode().value();
  }

  @Test
  void aRevokedKeyIsRefusedAtOnce() {
    RunningLatchkey.Key key = LATCHKEY.newKey(Access.READ_ONLY);
    for (int request = 0; request < 5; request++) assertThat(status(key)).isEqualTo(200);
    LATCHKEY.revoke(key);
    assertThat(status(key)).isEqualTo(401);
  }
}

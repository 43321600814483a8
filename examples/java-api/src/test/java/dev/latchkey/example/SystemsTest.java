package dev.latchkey.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.latchkey.guard.testing.FakeLatchkey;
import dev.latchkey.guard.testing.WithLatchkeyPrincipal;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@SpringBootTest(properties = {"latchkey.service-token=fake", "latchkey.deadline=1m"})
@AutoConfigureMockMvc
class SystemsTest {
  private static final FakeLatchkey LATCHKEY = FakeLatchkey.start();

  @Autowired private MockMvcTester mvc;

  @DynamicPropertySource
  static void latchkey(DynamicPropertyRegistry properties) {
    properties.add("latchkey.target", LATCHKEY::target);
  }

  @AfterAll
  static void stop() {
    LATCHKEY.close();
  }

  private MockMvcTester.MockMvcRequestBuilder get(String path, String key) {
    return mvc.get().uri(path).header("Authorization", "Bearer " + key);
  }

  @Test
  void aKeyForOneSystemReadsThatSystemAlone() {
    LATCHKEY.grants("good", "systems/sys-1:read");
    assertThat(get("/systems/sys-1", "good")).hasStatusOk().bodyText().contains("Billing");
    assertThat(get("/systems/sys-2", "good")).hasStatus(403);
    assertThat(get("/systems", "good")).hasStatus(403);
    assertThat(get("/systems/sys-1", "bad")).hasStatus(401);
  }

  @Test
  @WithLatchkeyPrincipal(permissions = "systems:read", ownerId = "acme")
  void theOwnerIsShownItsSystems() {
    assertThat(mvc.get().uri("/systems")).hasStatusOk().bodyText().contains("acme", "Search");
    assertThat(mvc.get().uri("/systems/sys-3")).hasStatus(404);
    assertThat(mvc.post().uri("/systems")).hasStatus(403);
  }
}

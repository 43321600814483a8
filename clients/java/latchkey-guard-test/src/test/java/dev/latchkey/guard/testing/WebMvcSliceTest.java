package dev.latchkey.guard.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@WebMvcTest(properties = {"latchkey.target=http://127.0.0.1:1", "latchkey.service-token=token"})
@ContextConfiguration(classes = WithLatchkeyPrincipalTest.Service.class)
final class WebMvcSliceTest {
  @Autowired private MockMvcTester mvc;

  @Test
  @WithLatchkeyPrincipal(permissions = "systems:read", ownerId = "acme")
  void aSliceOfTheWebLayerHasTheGuard() {
    assertThat(mvc.get().uri("/systems/42")).hasStatusOk();
    assertThat(mvc.post().uri("/systems/42")).hasStatus(403);
  }
}

package dev.latchkey.guard.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.spring.Latchkey;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootTest(properties = {"latchkey.target=http://127.0.0.1:1", "latchkey.service-token=token"})
@AutoConfigureMockMvc
final class WithLatchkeyPrincipalTest {
  @Autowired private MockMvcTester mvc;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Service.Systems.class)
  static class Service {
    @Bean
    SecurityFilterChain chain(HttpSecurity http, Latchkey latchkey) throws Exception {
      return http.with(latchkey.security(), Customizer.withDefaults())
          .authorizeHttpRequests(
              requests ->
                  requests
                      .requestMatchers("/systems/{id}")
                      .access(latchkey.permission("systems/{id}:read").forWrites("systems:write"))
                      .anyRequest()
                      .denyAll())
          .build();
    }

    @RestController
    static class Systems {
      @RequestMapping("/systems/{id}")
      String owner(@AuthenticationPrincipal LatchkeyPrincipal principal) {
        return principal.ownerId() + principal.keyId() + principal.attributes();
      }
    }
  }

  @Test
  @WithLatchkeyPrincipal(
      permissions = "systems:read",
      ownerId = "acme",
      attributes = "tenant=north")
  void thePrincipalReachesTheHandler() {
    assertThat(mvc.get().uri("/systems/42"))
        .hasStatusOk()
        .hasBodyTextEqualTo("acmekey-1{tenant=north}");
  }

  @Test
  @WithLatchkeyPrincipal(permissions = "systems/42:read")
  void whatThePermissionsDoNotCoverIs403() {
    assertThat(mvc.get().uri("/systems/42")).hasStatusOk();
    assertThat(mvc.get().uri("/systems/43")).hasStatus(403);
    assertThat(mvc.post().uri("/systems/42")).hasStatus(403);
  }

  @Test
  @WithLatchkeyPrincipal(permissions = "systems:write", access = Access.READ_ONLY)
  void whatTheAccessDoesNotCoverIs403() {
    assertThat(mvc.post().uri("/systems/42")).hasStatus(403);
  }

  @Test
  void withoutAPrincipalNothingIsGranted() {
    assertThat(mvc.get().uri("/systems/42")).hasStatus(503);
  }
}

package dev.latchkey.guard.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import dev.latchkey.guard.Decision;
import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.RawLatchkey;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.ModelAndView;

@Timeout(120)
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "latchkey.service-token=token",
      "latchkey.deadline=1m",
      "spring.mvc.hiddenmethod.filter.enabled=true"
    })
final class LatchkeySecurityTest {
  private static final List<String> ASKED = new CopyOnWriteArrayList<>();
  private static final RawLatchkey LATCHKEY =
      new RawLatchkey(
          call -> {
            String operation = call.message().path("operation").asText().substring(10);
            ASKED.add(operation + " " + call.message().path("permission").asText());
            String rate =
                ",\"rateLimit\":{\"limit\":100,\"remaining\":99,\"resetAfter\":\"1s\",\"window\":\"5s\"}";
            String denial =
                "{\"requestId\":\""
                    + call.requestId()
                    + "\",\"denial\":{\"httpStatus\":403,\"reason\":\"REASON_OPERATION_NOT_ALLOWED\"}}";
            return RawLatchkey.json(
                200, operation.equals("DESTROY") ? denial : RawLatchkey.granted(call, rate));
          });

  private final HttpClient client = HttpClient.newHttpClient();
  @LocalServerPort private int port;

  @Autowired WebApplicationContext context;

  @DynamicPropertySource
  static void properties(DynamicPropertyRegistry registry) {
    registry.add("latchkey.target", LATCHKEY::url);
  }

  @AfterAll
  static void stop() {
    LATCHKEY.close();
  }

  @BeforeEach
  void forget() {
    ASKED.clear();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableMethodSecurity
  @Import(Service.Systems.class)
  static class Service {
    @Bean
    @Order(1)
    SecurityFilterChain apiKeys(HttpSecurity http, Latchkey latchkey) throws Exception {
      return http.securityMatcher(latchkey.apiKeys())
          .with(latchkey.security(), Customizer.withDefaults())
          .authorizeHttpRequests(
              requests ->
                  requests
                      .dispatcherTypeMatchers(DispatcherType.ERROR)
                      .permitAll()
                      .requestMatchers("/systems/{id}")
                      .access(latchkey.permission("systems/{id}:read").forWrites("systems:write"))
                      .requestMatchers("/any", "/secret", "/absent")
                      .access(latchkey.anyKey())
                      .requestMatchers("/later", "/forward/{id}")
                      .access(latchkey.permission("systems:read"))
                      .requestMatchers("/who")
                      .authenticated()
                      .anyRequest()
                      .denyAll())
          .build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain others(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .exceptionHandling(
              problems ->
                  problems.authenticationEntryPoint(
                      new HttpStatusEntryPoint(HttpStatus.I_AM_A_TEAPOT)))
          .build();
    }

    @RestController
    static class Systems {
      @GetMapping("/systems/{id}")
      Map<String, String> find(
          @PathVariable String id, @AuthenticationPrincipal LatchkeyPrincipal principal) {
        return Map.of("id", id, "owner", principal.ownerId());
      }

      @PostMapping("/systems/{id}")
      String change() {
        return "changed";
      }

      @DeleteMapping("/systems/{id}")
      String delete() {
        return "deleted";
      }

      @GetMapping("/later")
      Callable<String> later(@AuthenticationPrincipal LatchkeyPrincipal principal) {
        return principal::ownerId;
      }

      @GetMapping("/forward/{id}")
      ModelAndView forward(@PathVariable String id) {
        return new ModelAndView("forward:/systems/" + id);
      }

      @GetMapping("/any")
      @PreAuthorize("hasAuthority('systems:read')")
      String any() {
        return "any";
      }

      @GetMapping("/secret")
      @PreAuthorize("hasAuthority('secrets:read')")
      String secret() {
        return "secret";
      }
    }
  }

  private HttpResponse<String> send(String method, String path, String authorization)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, BodyPublishers.ofString("a=b"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Authorization", authorization);
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> send(String method, String path) throws Exception {
    return send(method, path, "Bearer lk_key");
  }

  @Test
  void aGrantedRequestReachesItsHandlerWithPrincipalAndHeaders() throws Exception {
    var answer = send("GET", "/systems/42");
    assertThat(answer.body()).contains("\"id\":\"42\"", "\"owner\":\"o\"");
    assertThat(answer.headers().firstValue("RateLimit")).hasValue("\"key\";r=99;t=1");
    assertThat(answer.headers().firstValue("Latchkey-Key-Expires")).isPresent();
    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    assertThat(ASKED).containsExactly("READ systems/42:read");
  }

  @Test
  void theMethodThatTheHandlerGetsIsJudged() throws Exception {
    assertThat(send("POST", "/systems/42").body()).isEqualTo("changed");
    assertThat(send("POST", "/systems/42?_method=delete").statusCode()).isEqualTo(403);
    assertThat(ASKED).containsExactly("WRITE systems:write", "DESTROY systems:write");
  }

  @Test
  void aForwardToAnotherPathIsJudgedToo() throws Exception {
    assertThat(send("GET", "/forward/7").body()).contains("\"id\":\"7\"");
    assertThat(send("GET", "/forward/..").statusCode()).isEqualTo(400);
    assertThat(ASKED).containsExactly("READ systems:read", "READ systems/7:read");
  }

  @Test
  void anAsynchronousAnswerIsNotChargedAgain() throws Exception {
    assertThat(send("GET", "/later").body()).isEqualTo("o");
    assertThat(ASKED).containsExactly("READ systems:read");
  }

  @Test
  void theKeysPermissionsAreAuthorities() throws Exception {
    assertThat(send("GET", "/any").body()).isEqualTo("any");
    var answer = send("GET", "/secret");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).isEqualTo("{\"message\":\"operation not allowed\"}");
  }

  @Test
  void whatTheServiceDeniesItselfIs403() throws Exception {
    var answer = send("GET", "/elsewhere");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).isEqualTo("{\"message\":\"operation not allowed\"}");
    assertThat(ASKED).isEmpty();
  }

  @Test
  void aMissingPageStaysAMissingPage() throws Exception {
    assertThat(send("GET", "/absent").statusCode()).isEqualTo(404);
    assertThat(ASKED).containsExactly("READ ");
  }

  @Test
  void noSessionOfAPersonCounts() throws Exception {
    var session = new MockHttpSession();
    var person = UsernamePasswordAuthenticationToken.authenticated("ada", null, List.of());
    session.setAttribute("SPRING_SECURITY_CONTEXT", new SecurityContextImpl(person));
    var client =
        MockMvcBuilders.webAppContextSetup(context)
            .addFilters(context.getBean("springSecurityFilterChain", Filter.class))
            .build();
    for (String path : List.of("/who", "/logout")) {
      var request = get(path).session(session).header("Authorization", "Bearer lk_nobody");
      int status = client.perform(request).andReturn().getResponse().getStatus();
      assertThat(status).as(path).isIn(401, 403);
    }
    assertThat(session.isInvalid()).isFalse();
  }

  @Test
  void requestsWithoutAnApiKeyGoToTheNextChain() throws Exception {
    assertThat(send("GET", "/systems/42", "Bearer eyJ").statusCode()).isEqualTo(418);
    assertThat(ASKED).isEmpty();
  }

  @Test
  void noOneButTheGuardAuthenticates() {
    var principal =
        new LatchkeyPrincipal("k", "o", Access.READ_ONLY, List.of("a:read"), Map.of(), Instant.MAX);
    var simulated = LatchkeyAuthentication.simulated(principal);
    assertThat(simulated.getName()).isEqualTo("o");
    assertThat(simulated.getAuthorities()).extracting(Object::toString).containsExactly("a:read");
    var asked = LatchkeyAuthentication.unauthenticated(null);
    assertThat(asked.isAuthenticated()).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> asked.setAuthenticated(true));
  }

  @Test
  void aSimulatedAuthenticationEqualsNoGrantedOne() {
    var principal =
        new LatchkeyPrincipal("k", "o", Access.READ_ONLY, List.of("a:read"), Map.of(), Instant.MAX);
    var decision = new Decision(200, principal, "", null, 0, "", "", "");
    var granted = LatchkeyAuthentication.granted(decision);
    var simulated = LatchkeyAuthentication.simulated(principal);
    assertThat(simulated).isNotEqualTo(granted);
    assertThat(granted).isNotEqualTo(simulated);
    assertThat(granted)
        .isEqualTo(LatchkeyAuthentication.granted(decision))
        .hasSameHashCodeAs(LatchkeyAuthentication.granted(decision));
  }
}

package dev.latchkey.guard.spring;

import dev.latchkey.guard.Guard;
import dev.latchkey.guard.GuardConformance;
import dev.latchkey.guard.LatchkeyPrincipal;
import dev.latchkey.guard.Operation;
import jakarta.servlet.DispatcherType;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The tables through Spring Security, in Spring Boot's Tomcat. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {"latchkey.target=http://127.0.0.1:1", "latchkey.service-token=token"})
final class SpringConformanceTest extends GuardConformance {
  private static volatile Guard guard;

  @LocalServerPort private int port;

  @Override
  protected int port() {
    return port;
  }

  @Override
  protected void use(Guard guard) {
    SpringConformanceTest.guard = guard;
  }

  /** Spring's firewall refuses them. */
  @Override
  protected Set<String> refusedByServer() {
    return Set.of(
        "PROPFIND /systems",
        "GET /systems/a%2Fb",
        "GET /systems/a%2fb",
        "GET /systems/a%00b",
        "GET /systems/%25",
        "GET /systems/%2E%2E");
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Service.Systems.class)
  static class Service {
    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
      return http.with(new LatchkeyConfigurer(() -> guard), each -> {})
          .headers(headers -> headers.cacheControl(cache -> cache.disable()))
          .authorizeHttpRequests(
              requests ->
                  requests
                      .dispatcherTypeMatchers(DispatcherType.ERROR)
                      .permitAll()
                      .requestMatchers("/systems")
                      .access(
                          by(
                              latchkey ->
                                  latchkey.permission("systems:read").forWrites("systems:write")))
                      .requestMatchers("/systems/{id}")
                      .access(by(latchkey -> latchkey.permission("systems/{id}:read")))
                      .requestMatchers("/any")
                      .access(by(Latchkey::anyKey))
                      .requestMatchers(HttpMethod.POST, "/search")
                      .access(
                          by(latchkey -> latchkey.permission("systems:read").as(Operation.READ)))
                      .anyRequest()
                      .denyAll())
          .build();
    }

    /** By the guard of the case. */
    private static AuthorizationManager<RequestAuthorizationContext> by(
        Function<Latchkey, LatchkeyAuthorizationManager> required) {
      return (current, context) -> {
        var latchkey = new Latchkey(guard, new LatchkeyAuthenticationProvider(guard));
        return required.apply(latchkey).authorize(current, context);
      };
    }

    @RestController
    static class Systems {
      @RequestMapping({"/systems", "/systems/{id}", "/any", "/search"})
      Map<String, Object> show(@AuthenticationPrincipal LatchkeyPrincipal principal) {
        return shown(principal);
      }
    }
  }
}

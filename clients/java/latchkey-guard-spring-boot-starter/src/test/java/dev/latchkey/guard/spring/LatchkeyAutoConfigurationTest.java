package dev.latchkey.guard.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.latchkey.guard.CredentialForm;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.servlet.GuardedServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration;
import org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

final class LatchkeyAutoConfigurationTest {
  private static final AutoConfigurations ALL =
      AutoConfigurations.of(
          LatchkeyAutoConfiguration.class,
          SslAutoConfiguration.class,
          SecurityAutoConfiguration.class,
          UserDetailsServiceAutoConfiguration.class);

  private final WebApplicationContextRunner runner =
      new WebApplicationContextRunner()
          .withConfiguration(ALL)
          .withPropertyValues(
              "latchkey.target=http://127.0.0.1:3080", "latchkey.service-token=sécret-free");

  @Test
  void aMissingPropertyEndsTheStartAndIsNamed() {
    runner
        .withPropertyValues("latchkey.target=", "latchkey.service-token=token")
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              assertThat(failure).hasRootCauseMessage("Latchkey guard: target is missing");
              var analysis = new LatchkeyFailureAnalyzer().analyze(failure);
              assertThat(analysis.getDescription()).contains("target is missing");
              assertThat(analysis.getAction()).contains("latchkey.target", "LATCHKEY_TARGET");
            });
  }

  @Test
  void anUnusableTokenIsNamedAndNeverShown() {
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(context.getStartupFailure())
              .hasStackTraceContaining("serviceToken contains spaces or characters beyond ASCII");
          assertThat(context.getStartupFailure().toString()).doesNotContain("sécret");
        });
    var properties =
        new LatchkeyProperties("t", "secret", null, false, null, null, null, false, null);
    assertThat(properties.toString()).doesNotContain("secret");
  }

  @Test
  void everyPropertyReachesTheGuard() {
    var customized = new AtomicInteger();
    runner
        .withBean(GuardCustomizer.class, () -> builder -> customized.incrementAndGet())
        .withPropertyValues(
            "latchkey.service-token=token",
            "latchkey.target=http://latchkey.mesh:3080",
            "latchkey.insecure=true",
            "latchkey.deadline=50ms",
            "latchkey.credentials=bearer,x-api-key,basic",
            "latchkey.key-prefix=acme",
            "latchkey.leases=true",
            "latchkey.client-address-header=CF-Connecting-IP")
        .run(
            context -> {
              assertThat(context).hasSingleBean(Guard.class).hasSingleBean(Latchkey.class);
              assertThat(customized).hasValue(1);
              var properties = context.getBean(LatchkeyProperties.class);
              assertThat(properties.credentials()).containsExactly(CredentialForm.values());
              assertThat(properties.deadline()).hasMillis(50);
              // The guard is the one way in: no user with a generated password.
              assertThat(context).doesNotHaveBean(UserDetailsService.class);
              assertThat(context).doesNotHaveBean(AuthenticationManager.class);
            });
  }

  @Test
  void anUnknownSslBundleEndsTheStart() {
    runner
        .withPropertyValues(
            "latchkey.target=https://latchkey.internal",
            "latchkey.service-token=token",
            "latchkey.ssl-bundle=absent")
        .run(context -> assertThat(context).getFailure().hasStackTraceContaining("absent"));
  }

  @Test
  void aGuardOfOnesOwnReplacesTheGuardOfTheProperties() {
    var own = Guard.builder().target("http://127.0.0.1:1").serviceToken("token").build();
    runner
        .withBean(Guard.class, () -> own)
        .run(context -> assertThat(context.getBean(Guard.class)).isSameAs(own));
  }

  @Test
  void anUnusableGuardOfOnesOwnIsNotExplainedByProperties() {
    runner
        .withBean(Guard.class, () -> Guard.builder().build())
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              assertThat(failure).hasRootCauseMessage("Latchkey guard: target is missing");
              assertThat(new LatchkeyFailureAnalyzer().analyze(failure)).isNull();
            });
  }

  @Test
  void aLoginOfTheServiceKeepsItsBeans() {
    runner
        .withPropertyValues("latchkey.service-token=token")
        .withBean(UserDetailsService.class, InMemoryUserDetailsManager::new)
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Latchkey.class)
                    .doesNotHaveBean(AuthenticationProvider.class));
  }

  @Test
  void anAddressThatAFilterTookFromAHeaderIsNotCertain() {
    var own = new MockHttpServletRequest();
    own.setRemoteAddr("198.51.100.1");
    own.addHeader("X-Forwarded-For", "10.0.0.1");
    var wrapped =
        new HttpServletRequestWrapper(own) {
          @Override
          public String getRemoteAddr() {
            return "10.0.0.1";
          }

          @Override
          public Enumeration<String> getHeaders(String name) {
            return Collections.emptyEnumeration();
          }
        };
    var request = new GuardedServletRequest(wrapped, Map.of());
    try (Guard guard = Guard.builder().target("http://127.0.0.1:1").serviceToken("t").build()) {
      var protection = guard.protect(Guard.ANY_KEY);
      assertThat(protection.question(request).clientIp()).isEmpty();
      own.removeHeader("X-Forwarded-For");
      assertThat(protection.question(request).clientIp()).isEqualTo("198.51.100.1");
    }
  }

  @Test
  void anApplicationThatServesNothingNeedsNoGuard() {
    new ApplicationContextRunner()
        .withConfiguration(ALL)
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Guard.class));
  }
}

package dev.latchkey.guard.spring;

import dev.latchkey.guard.CredentialForm;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.GuardBuilder;
import dev.latchkey.guard.spring.LatchkeyFailureAnalyzer.UnusablePropertyException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration;
import org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.core.userdetails.UserDetailsService;

/** Makes a guard by the properties {@code latchkey.*}, and what Spring Security needs of it. */
@AutoConfiguration(
    after = SslAutoConfiguration.class,
    before = {SecurityAutoConfiguration.class, UserDetailsServiceAutoConfiguration.class})
@ConditionalOnWebApplication(type = Type.SERVLET)
@EnableConfigurationProperties(LatchkeyProperties.class)
public class LatchkeyAutoConfiguration {

  /** Closes with the application. It names a property that is missing or unusable. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Guard latchkeyGuard(
      LatchkeyProperties properties,
      ObjectProvider<SslBundles> bundles,
      ObjectProvider<GuardCustomizer> customizers) {
    GuardBuilder builder =
        Guard.builder()
            .target(properties.target())
            .serviceToken(properties.serviceToken())
            .insecure(properties.insecure())
            .deadline(properties.deadline())
            .credentials(properties.credentials().toArray(CredentialForm[]::new))
            .keyPrefix(properties.keyPrefix())
            .leases(properties.leases());
    if (properties.sslBundle() != null) {
      builder.tls(bundles.getObject().getBundle(properties.sslBundle()).createSslContext());
    }
    String header = properties.clientAddressHeader();
    if (header != null) {
      builder.clientAddress(
          request -> {
            var values = request.headers(header);
            return values.size() == 1 ? values.get(0) : "";
          });
    }
    customizers.orderedStream().forEach(each -> each.customize(builder));
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw new UnusablePropertyException(e);
    }
  }

  /** Not next to a login of the service, whose beans it would replace. */
  @Bean
  @ConditionalOnMissingBean({
    AuthenticationProvider.class,
    UserDetailsService.class,
    AuthenticationManager.class
  })
  LatchkeyAuthenticationProvider latchkeyAuthenticationProvider(Guard guard) {
    return new LatchkeyAuthenticationProvider(guard);
  }

  @Bean
  @ConditionalOnMissingBean
  Latchkey latchkey(Guard guard, ObjectProvider<LatchkeyAuthenticationProvider> provider) {
    return new Latchkey(
        guard, provider.getIfAvailable(() -> new LatchkeyAuthenticationProvider(guard)));
  }
}

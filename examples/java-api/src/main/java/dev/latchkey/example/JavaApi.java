package dev.latchkey.example;

import static org.springframework.security.config.Customizer.withDefaults;

import dev.latchkey.guard.spring.Latchkey;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/**
 * An inventory of systems behind Latchkey API keys. It does not check keys itself; the guard does.
 */
@SpringBootApplication
public class JavaApi {
  public static void main(String[] args) {
    SpringApplication.run(JavaApi.class, args);
  }

  @Bean
  SecurityFilterChain apiKeys(HttpSecurity http, Latchkey latchkey) throws Exception {
    http.with(latchkey.security(), withDefaults());
    http.authorizeHttpRequests(
        requests -> {
          requests.dispatcherTypeMatchers(DispatcherType.ERROR).permitAll();
          requests
              .requestMatchers("/systems")
              .access(latchkey.permission("systems:read").forWrites("systems:write"));
          requests
              .requestMatchers("/systems/{id}")
              .access(latchkey.permission("systems/{id}:read"));
          requests.anyRequest().denyAll();
        });
    return http.build();
  }
}

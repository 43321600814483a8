import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What examples/java-api answers, behind a Spring Security that lets everyone through, without a guard. */
@EnableAutoConfiguration
@RestController
public class Unguarded {
  record Inventory(String owner, Map<String, String> systems) {}

  @Bean
  SecurityFilterChain everyone(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
        .csrf(AbstractHttpConfigurer::disable)
        .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .build();
  }

  @GetMapping("/systems")
  Inventory list() {
    return new Inventory("owner-0", Map.of("sys-1", "Billing", "sys-2", "Search"));
  }

  public static void main(String[] args) {
    SpringApplication.run(Unguarded.class, args);
  }
}

import jakarta.servlet.DispatcherType;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.savedrequest.NullRequestCache;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** What examples/java-api answers: the same routes and filters of Spring Security, each route open to everyone. */
@EnableAutoConfiguration
@RestController
public class Unguarded {
  static final Map<String, String> SYSTEMS = Map.of("sys-1", "Billing", "sys-2", "Search");

  record Inventory(String owner, Map<String, String> systems) {}

  record NamedSystem(String id, String name) {}

  @Bean
  SecurityFilterChain everyone(HttpSecurity http) throws Exception {
    http.csrf(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(cache -> cache.requestCache(new NullRequestCache()))
        .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
    http.authorizeHttpRequests(
        requests -> {
          requests.dispatcherTypeMatchers(DispatcherType.ERROR).permitAll();
          requests.requestMatchers("/systems").permitAll();
          requests.requestMatchers("/systems/{id}").permitAll();
          requests.anyRequest().denyAll();
        });
    return http.build();
  }

  @GetMapping("/systems")
  Inventory list() {
    return new Inventory("owner-0", SYSTEMS);
  }

  @GetMapping("/systems/{id}")
  NamedSystem find(@PathVariable String id) {
    String name = SYSTEMS.get(id);
    if (name == null) throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no such system");
    return new NamedSystem(id, name);
  }

  public static void main(String[] args) {
    SpringApplication.run(Unguarded.class, args);
  }
}

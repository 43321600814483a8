import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What examples/java-api answers, without a guard and without Spring Security. */
@EnableAutoConfiguration
@RestController
public class Unguarded {
  record Inventory(String owner, Map<String, String> systems) {}

  @GetMapping("/systems")
  Inventory list() {
    return new Inventory("owner-0", Map.of("sys-1", "Billing", "sys-2", "Search"));
  }

  public static void main(String[] args) {
    SpringApplication.run(Unguarded.class, args);
  }
}

package dev.latchkey.example;

import dev.latchkey.guard.LatchkeyPrincipal;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
class SystemsController {
  private static final Map<String, String> SYSTEMS = Map.of("sys-1", "Billing", "sys-2", "Search");

  record Inventory(String owner, Map<String, String> systems) {}

  record NamedSystem(String id, String name) {}

  @GetMapping("/systems")
  Inventory list(@AuthenticationPrincipal LatchkeyPrincipal principal) {
    return new Inventory(principal.ownerId(), SYSTEMS);
  }

  @GetMapping("/systems/{id}")
  NamedSystem find(@PathVariable String id) {
    String name = SYSTEMS.get(id);
    if (name == null) throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no such system");
    return new NamedSystem(id, name);
  }
}

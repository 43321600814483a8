package dev.latchkey.guard.servlet;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.latchkey.guard.Guard;
import dev.latchkey.guard.GuardConformance;
import dev.latchkey.guard.Operation;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.GenericServlet;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;

/** The tables through the filter, in Tomcat. */
final class FilterConformanceTest extends GuardConformance {
  private static final ObjectMapper JSON = new ObjectMapper();

  private volatile LatchkeyFilter filter;
  private final TestContainer tomcat = new TestContainer(Map.of("/", showing()), this::setUp);

  private static Servlet showing() {
    return new GenericServlet() {
      private static final long serialVersionUID = 1L;

      @Override
      public void service(ServletRequest request, ServletResponse response) throws IOException {
        var principal = LatchkeyFilter.principalOf(request).orElseThrow();
        response.setContentType("application/json");
        JSON.writeValue(response.getOutputStream(), shown(principal));
      }
    };
  }

  private void setUp(ServletContext context) {
    Filter current = (request, response, chain) -> filter.doFilter(request, response, chain);
    context
        .addFilter("current", current)
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
  }

  @Override
  protected int port() {
    return tomcat.port();
  }

  @Override
  protected void use(Guard guard) {
    filter =
        LatchkeyFilter.builder(guard)
            .route("/systems", guard.protect("systems:read").forWrites("systems:write"))
            .route("/systems/{id}", guard.protect("systems/{id}:read"))
            .route("/any", guard.protect(Guard.ANY_KEY))
            .route("/search", guard.protect("systems:read").as(Operation.READ))
            .build();
  }

  @Override
  protected Set<String> refusedByServer() {
    return Set.of("GET /systems/a%00b");
  }

  @AfterAll
  void stop() {
    tomcat.close();
  }
}

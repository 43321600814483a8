package dev.latchkey.guard;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;

/** The tables by no framework: the server of the JDK. */
final class GuardConformanceTest extends GuardConformance {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestServer server = new TestServer(this::handle);
  private volatile Guard guard;

  @Override
  protected int port() {
    return server.port();
  }

  @Override
  protected void use(Guard guard) {
    this.guard = guard;
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private Protection protectionOf(String path) {
    return switch (path) {
      case "/systems" -> guard.protect("systems:read").forWrites("systems:write");
      case "/any" -> guard.protect(Guard.ANY_KEY);
      case "/search" -> guard.protect("systems:read").as(Operation.READ);
      default -> guard.protect("systems/{id}:read");
    };
  }

  private void handle(HttpExchange exchange) throws IOException {
    var request = new Request(exchange);
    Protection protection = protectionOf(request.rawPath());
    Question question = protection.question(request);
    Decision decision = guard.check(question);
    guard.headers(question.challenge(), decision).forEach(exchange.getResponseHeaders()::add);
    String body =
        decision.isGranted()
            ? JSON.writeValueAsString(shown(decision.principal()))
            : decision.body();
    TestServer.answer(exchange, decision.status(), body);
  }

  private record Request(HttpExchange exchange) implements GuardedRequest {
    @Override
    public String method() {
      return exchange.getRequestMethod();
    }

    @Override
    public List<String> headers(String name) {
      return exchange.getRequestHeaders().getOrDefault(name, List.of());
    }

    @Override
    public String rawPath() {
      return exchange.getRequestURI().getRawPath();
    }

    @Override
    public String parameter(String name) {
      String path = exchange.getRequestURI().getPath();
      return Map.of("id", path.substring(path.indexOf('/', 1) + 1)).get(name);
    }

    @Override
    public String peerAddress() {
      return exchange.getRemoteAddress().getAddress().getHostAddress();
    }
  }
}

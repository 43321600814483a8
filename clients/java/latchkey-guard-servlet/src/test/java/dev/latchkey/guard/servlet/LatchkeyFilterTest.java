package dev.latchkey.guard.servlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.latchkey.guard.Guard;
import dev.latchkey.guard.RawLatchkey;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
final class LatchkeyFilterTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final RawLatchkey latchkey =
      new RawLatchkey(
          call -> {
            String operation = call.message().path("operation").asText();
            asked.add(operation.substring(10) + " " + call.message().path("permission").asText());
            boolean isDenied = operation.equals("OPERATION_DESTROY");
            String denial =
                "{\"requestId\":\""
                    + call.requestId()
                    + "\",\"denial\":{"
                    + "\"httpStatus\":403,\"reason\":\"REASON_OPERATION_NOT_ALLOWED\"}}";
            return RawLatchkey.json(200, isDenied ? denial : RawLatchkey.granted(call, ""));
          });
  private final Guard guard =
      Guard.builder()
          .target(latchkey.url())
          .serviceToken("token")
          .deadline(Duration.ofMinutes(1))
          .build();
  private LatchkeyFilter filter;
  private TestContainer tomcat;

  /** What the servlets of these tests do. */
  private interface Handling {
    void handle(HttpServletRequest request, HttpServletResponse response)
        throws IOException, ServletException;
  }

  private static Servlet servlet(Handling handling) {
    return new HttpServlet() {
      private static final long serialVersionUID = 1L;

      @Override
      protected void service(HttpServletRequest request, HttpServletResponse response)
          throws IOException, ServletException {
        handling.handle(request, response);
      }
    };
  }

  private static void show(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    boolean mayRead = request.isUserInRole("systems/42:read");
    boolean mayWrite = request.isUserInRole("systems:write");
    String shown = "%s %s %s %s %s";
    response
        .getWriter()
        .print(
            shown.formatted(
                request.getMethod(),
                request.getUserPrincipal().getName(),
                request.getAuthType(),
                mayRead,
                mayWrite));
  }

  private static void redispatch(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (request.getDispatcherType() == DispatcherType.ASYNC) {
      show(request, response);
    } else {
      request.startAsync().dispatch();
    }
  }

  /** As Spring's HiddenHttpMethodFilter does it. */
  private static void changeMethod(ServletContext context) {
    Filter changing =
        (request, response, chain) ->
            chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                  @Override
                  public String getMethod() {
                    String method = getHeader("X-Method");
                    return method == null ? super.getMethod() : method;
                  }
                },
                response);
    var added = context.addFilter("changing", changing);
    added.setAsyncSupported(true);
    added.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
  }

  @BeforeEach
  void start() {
    filter =
        LatchkeyFilter.builder(guard)
            .route("/systems", guard.protect("systems:read").forWrites("systems:write"))
            .route("/systems/{id}", guard.protect("systems/{id}:read"))
            .route("/forward", guard.protect("forwards:read"))
            .route("/async", guard.protect("asyncs:read"))
            .route("/all/**", guard.protect("all:read"))
            .otherwise(
                (request, response, chain) -> ((HttpServletResponse) response).setStatus(418))
            .build();
    Map<String, Servlet> servlets =
        Map.of(
            "/", servlet(LatchkeyFilterTest::show),
            "/async", servlet(LatchkeyFilterTest::redispatch),
            "/forward",
                servlet(
                    (request, response) ->
                        request
                            .getRequestDispatcher(request.getHeader("X-To"))
                            .forward(request, response)));
    tomcat =
        new TestContainer(
            servlets,
            context -> {
              changeMethod(context);
              filter.addTo(context, "/*");
            });
  }

  @AfterEach
  void stop() {
    tomcat.close();
    guard.close();
    latchkey.close();
  }

  private HttpResponse<String> send(String method, String path, String... headers)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + tomcat.port() + path))
            .method(method, BodyPublishers.noBody())
            .header("Authorization", "Bearer lk_key");
    for (int at = 0; at < headers.length; at += 2) request.setHeader(headers[at], headers[at + 1]);
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void theServletSeesWhoIsGranted() throws Exception {
    assertEquals("GET o Latchkey true false", send("GET", "/systems/42").body());
    assertEquals(List.of("READ systems/42:read"), asked);
  }

  @Test
  void theMethodThatTheServletGetsIsJudged() throws Exception {
    assertEquals(200, send("GET", "/systems", "X-Method", "POST").statusCode());
    assertEquals(403, send("POST", "/systems", "X-Method", "DELETE").statusCode());
    assertEquals(List.of("WRITE systems:write", "DESTROY systems:write"), asked);
  }

  @Test
  void aForwardToAnotherPathIsJudgedToo() throws Exception {
    assertEquals(200, send("GET", "/forward", "X-To", "/systems/7").statusCode());
    assertEquals(403, send("GET", "/forward", "X-To", "/elsewhere").statusCode());
    assertEquals(
        List.of("READ forwards:read", "READ systems/7:read", "READ forwards:read", "DESTROY "),
        asked);
  }

  @Test
  void anAsynchronousDispatchIsNotChargedAgain() throws Exception {
    assertEquals("GET o Latchkey true false", send("GET", "/async").body());
    assertEquals(List.of("READ asyncs:read"), asked);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/elsewhere",
        "/systems/",
        "/systems/42/more",
        "/%73ystems",
        "/systems;a=b",
        "/all/x/%2e%2e/y",
        "/all/a%2Fb",
        "/all/%61",
        "/all//x",
        "/all/x;y",
        "/SYSTEMS"
      })
  void whatNoRouteNamesIsRefused(String path) throws Exception {
    assertEquals(403, send("GET", path).statusCode());
    assertEquals(1, asked.size());
    assertTrue(asked.get(0).startsWith("DESTROY "), asked.get(0));
  }

  @Test
  void aRouteWithStarsProtectsWhatIsBelow() throws Exception {
    for (String path : List.of("/all", "/all/", "/all/a/b")) {
      assertEquals(200, send("GET", path).statusCode());
    }
    assertEquals(List.of("READ all:read", "READ all:read", "READ all:read"), asked);
  }

  @Test
  void requestsWithoutAnApiKeyGoToThePlatformsCheck() throws Exception {
    assertEquals(418, send("GET", "/systems", "Authorization", "Bearer eyJ").statusCode());
    assertEquals(List.of(), asked);
  }

  @Test
  void anUnusableRouteIsNamed() {
    var builder = LatchkeyFilter.builder(guard);
    var protection = guard.protect("systems/{id}:read");
    for (String path : List.of("systems", "", "/a b", "/{id", "/**/x", "/systems", "/{other}")) {
      var thrown =
          assertThrows(IllegalArgumentException.class, () -> builder.route(path, protection));
      assertTrue(thrown.getMessage().startsWith("route: "), thrown.getMessage());
    }
    assertThrows(IllegalArgumentException.class, builder::build);
  }
}

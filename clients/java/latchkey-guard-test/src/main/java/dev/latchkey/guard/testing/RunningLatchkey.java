package dev.latchkey.guard.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Latchkey: {@code npm start} of a checkout, with its own PostgreSQL and demo values, on
 * free ports of this machine. Node.js must be there. It ends when it is closed.
 */
public final class RunningLatchkey implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "correct horse battery staple";
  private static final List<String> PORTS =
      List.of("HTTP_PORT", "GRPC_PORT", "SERVICES_PORT", "SYSTEMS_API_PORT");

  private final HttpClient client =
      HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
  private final Path folder;
  private final Process program;
  private final Map<String, String> environment = new LinkedHashMap<>();

  private RunningLatchkey(Path checkout, Map<String, String> variables) throws IOException {
    // As root, PostgreSQL runs as another user, who must be able to enter the folder.
    folder = Files.createTempDirectory("latchkey-");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    environment.putAll(freePorts());
    environment.put("DATA_DIR", folder.resolve("data").toString());
    environment.putAll(variables);
    ProcessBuilder builder =
        new ProcessBuilder("node", "scripts/start.mjs")
            .directory(checkout.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output());
    builder.environment().putAll(environment);
    program = builder.start();
    // A test run that is ended leaves no Latchkey behind.
    Runtime.getRuntime().addShutdownHook(new Thread(program::destroy));
  }

  /**
   * Starts the Latchkey of a checkout, and waits until it is ready.
   *
   * @param checkout the folder of Latchkey's package.json, with its packages installed
   * @param variables further settings, such as LEASE_MS
   * @throws IllegalStateException Latchkey ended, or is not ready after five minutes; the message
   *     has what it printed
   */
  public static RunningLatchkey start(Path checkout, Map<String, String> variables) {
    try {
      RunningLatchkey latchkey = new RunningLatchkey(checkout, variables);
      try {
        latchkey.awaitReady(checkout);
        latchkey.call("/v1/session", Map.of("email", "demo@latchkey.dev", "password", PASSWORD));
        return latchkey;
      } catch (IOException | RuntimeException e) {
        latchkey.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> freePorts() throws IOException {
    Map<String, String> ports = new LinkedHashMap<>();
    List<ServerSocket> taken = new ArrayList<>();
    try {
      for (String name : PORTS) {
        ServerSocket socket = new ServerSocket(0);
        taken.add(socket);
        ports.put(name, Integer.toString(socket.getLocalPort()));
      }
    } finally {
      for (ServerSocket each : taken) each.close();
    }
    return ports;
  }

  private File output() {
    return folder.resolve("output.txt").toFile();
  }

  private void awaitReady(Path checkout) throws IOException {
    long begun = System.nanoTime();
    while (!isReady()) {
      boolean isLate = System.nanoTime() - begun > TimeUnit.MINUTES.toNanos(5);
      if (isLate || !program.isAlive()) {
        String printed = Files.readString(output().toPath());
        throw new IllegalStateException("The Latchkey of " + checkout + " is not up:\n" + printed);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(100);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while Latchkey started", e);
      }
    }
  }

  private boolean isReady() {
    try {
      return send(HttpRequest.newBuilder(uri("/readyz"))).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** Latchkey's HTTP_PORT, with its settings screen. */
  public String url() {
    return "http://127.0.0.1:" + environment.get("HTTP_PORT");
  }

  /** Latchkey's SERVICES_PORT, for the guard's option target. */
  public String target() {
    return "http://127.0.0.1:" + environment.get("SERVICES_PORT");
  }

  /** Of a service identity with the role validator. */
  public String serviceToken() {
    return "dev-validator-token";
  }

  /**
   * A key.
   *
   * @param id for {@link #revoke}
   * @param secret what a client sends
   */
  public record Key(String id, String secret) {
    /** Never shows the secret. */
    @Override
    public String toString() {
      return "Key[id=" + id + "]";
    }
  }

  /**
   * Makes a key of the demo owner, who has systems:read and systems:write.
   *
   * @param permissions some of the owner's; none: all of them
   */
  public Key newKey(Access access, String... permissions) {
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("name", "A test");
    order.put("access", access.toString());
    order.put("expiresInDays", 1);
    order.put("password", PASSWORD);
    if (permissions.length > 0) order.put("permissions", permissions);
    JsonNode made = call("/v1/api-keys", order);
    return new Key(made.path("apiKey").path("id").asText(), made.path("fullKey").asText());
  }

  /** Revokes a key, and returns once no guard grants it any more. */
  public void revoke(Key key) {
    call("/v1/api-keys/" + key.id() + "/revoke", Map.of());
  }

  private JsonNode call(String path, Map<String, ?> body) {
    try {
      var request =
          HttpRequest.newBuilder(uri(path))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
      HttpResponse<String> answer = send(request);
      if (answer.statusCode() >= 300) {
        throw new IllegalStateException(path + " answered " + answer.statusCode());
      }
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private URI uri(String path) {
    return URI.create(url() + path);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
    try {
      var limited = request.timeout(Duration.ofMinutes(1)).build();
      return client.send(limited, BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while Latchkey answered", e);
    }
  }

  /** Ends Latchkey, and deletes what it stored. */
  @Override
  public void close() {
    program.destroy();
    program.onExit().join();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted((one, other) -> other.compareTo(one)).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

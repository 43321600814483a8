package dev.latchkey.guard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

/** The Latchkey of clients/conformance. It ends with its standard input. */
public final class ScriptedLatchkey implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final File FOLDER = new File("../../conformance");

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process program;
  private final JsonNode ports;

  /** Starts it. */
  public ScriptedLatchkey() throws IOException {
    program =
        new ProcessBuilder("node", "latchkey.mjs")
            .directory(FOLDER)
            .redirectError(Redirect.INHERIT)
            .start();
    ports = JSON.readTree(program.inputReader().readLine());
  }

  static JsonNode table(String name) {
    try {
      return JSON.readTree(new File(FOLDER, name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + ports.path("http").intValue();
  }

  void script(JsonNode answers) throws IOException, InterruptedException {
    call("PUT", answers.toString());
  }

  /** What was asked since the script. */
  List<JsonNode> asked() throws IOException, InterruptedException {
    List<JsonNode> asked = new ArrayList<>();
    call("GET", "").path("asked").forEach(asked::add);
    return asked;
  }

  private JsonNode call(String method, String body) throws IOException, InterruptedException {
    URI control = URI.create("http://127.0.0.1:" + ports.path("control").intValue());
    var request = HttpRequest.newBuilder(control).method(method, BodyPublishers.ofString(body));
    return JSON.readTree(client.send(request.build(), BodyHandlers.ofString()).body());
  }

  @Override
  public void close() throws IOException {
    program.getOutputStream().close();
    program.onExit().join();
  }
}

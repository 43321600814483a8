package dev.latchkey.guard;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** A Latchkey whose every byte a test decides, and whose connections it sees. */
public final class RawLatchkey implements AutoCloseable {
  public static final String GRANT =
      "\"grant\":{\"keyId\":\"k\",\"ownerId\":\"o\",\"access\":\"ACCESS_LEVEL_READ_AND_WRITE\","
          + "\"permissions\":[\"systems:read\"],\"expiresAt\":\"2030-03-17T17:46:40Z\"}";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Answers one call. */
  public interface Answering {
    /**
     * @return the bytes as Latin-1. After them the connection is closed if they do not begin with a
     *     whole answer, as {@link #json} makes it; null closes it at once
     */
    String to(Call call) throws Exception;
  }

  /** What came: the last part of the path, the body, and the connection. */
  public record Call(String method, JsonNode message, Socket socket) {
    /** The id that the answer has to have. */
    public String requestId() {
      return message.path("requestId").asText();
    }
  }

  /** Calls of ValidateKey. */
  public final AtomicInteger calls = new AtomicInteger();

  /** Connections since the beginning. */
  final AtomicInteger accepted = new AtomicInteger();

  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Answering answering;
  private ServerSocket listener;
  private int port;

  /** Starts it. */
  public RawLatchkey(Answering answering) {
    this.answering = answering;
    start();
  }

  /** Grants every question, with these further members. */
  public static RawLatchkey granting(String more) {
    return new RawLatchkey(call -> json(200, granted(call, more)));
  }

  /** Sends this to every call, and then nothing until the guard closes the connection. */
  static RawLatchkey beginning(String answer) {
    return new RawLatchkey(
        call -> {
          call.socket().getOutputStream().write(answer.getBytes(ISO_8859_1));
          call.socket().getInputStream().read();
          return null;
        });
  }

  /** The body of a grant. */
  public static String granted(Call call, String more) {
    return "{\"requestId\":\"" + call.requestId() + "\"," + GRANT + more + "}";
  }

  /** A whole answer. */
  public static String json(int status, String body) {
    int length = body.getBytes(UTF_8).length;
    return "HTTP/1.1 "
        + status
        + " Some\r\nContent-Type: application/json\r\nContent-Length: "
        + length
        + "\r\n\r\n"
        + body;
  }

  static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** That any good key may do. */
  static Question questionOf(String key) {
    return new Question(
        new Credential("", "Bearer " + key),
        Operation.READ,
        "",
        "",
        "",
        "Bearer",
        new RequestNames(null));
  }

  /** A call that ends later would count for what comes next. */
  static void untilNoCallOf(Guard guard) {
    until(
        () -> {
          synchronized (guard.leases) {
            return guard.leases.keys.values().stream().allMatch(key -> key.call == null);
          }
        });
  }

  void start() {
    try {
      listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
      port = listener.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    begin(() -> accept(listener));
  }

  private static void begin(Runnable work) {
    Thread thread = new Thread(work, "raw-latchkey");
    thread.setDaemon(true);
    thread.start();
  }

  /** For the guard's target. */
  public String url() {
    return "http://127.0.0.1:" + port;
  }

  int open() {
    return open.size();
  }

  /** As if the process was killed. */
  void kill() {
    try {
      listener.close();
      for (Socket each : open) each.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }

  private void accept(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        Socket socket = from.accept();
        accepted.incrementAndGet();
        open.add(socket);
        if (from.isClosed()) socket.close();
        begin(() -> serve(socket));
      } catch (IOException e) {
        // It is killed.
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      for (Call call = read(socket); call != null; call = read(socket)) {
        if (call.method().equals("ValidateKey")) calls.incrementAndGet();
        String answer = answering.to(call);
        if (answer == null) return;
        socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
        if (!isWhole(answer)) return;
      }
    } catch (Exception e) {
      // The guard has closed it, or the Latchkey is killed.
    } finally {
      open.remove(socket);
    }
  }

  private static boolean isWhole(String answer) {
    int end = answer.indexOf("\r\n\r\n");
    int length = answer.indexOf("Content-Length: ");
    if (end < 0 || length < 0) return false;
    String text = answer.substring(length + 16, answer.indexOf("\r\n", length));
    return answer.length() - end - 4 == Integer.parseInt(text);
  }

  private static Call read(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    var head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) return null;
      head.write(next);
    }
    String text = head.toString(ISO_8859_1);
    String lower = text.toLowerCase(Locale.ROOT);
    int at = lower.indexOf("content-length: ") + 16;
    int length = Integer.parseInt(lower.substring(at, lower.indexOf("\r\n", at)));
    String path = text.split(" ")[1];
    return new Call(
        path.substring(path.lastIndexOf('/') + 1), JSON.readTree(in.readNBytes(length)), socket);
  }
}

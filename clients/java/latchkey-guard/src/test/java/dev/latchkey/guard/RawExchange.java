package dev.latchkey.guard;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.TreeMap;

/**
 * The answer to a request that was sent byte by byte in Latin-1.
 *
 * @param status of the answer
 * @param headers by names in any letters; several values of one name are joined
 * @param body as text
 */
record RawExchange(int status, Map<String, String> headers, String body) {

  /** Sends pairs of names and values as they are. */
  static RawExchange send(int port, String method, String path, JsonNode headers)
      throws IOException {
    StringBuilder head = new StringBuilder();
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
    head.append("Host: 127.0.0.1:").append(port).append("\r\nConnection: close\r\n");
    for (JsonNode header : headers) {
      head.append(header.path(0).asText()).append(": ");
      head.append(header.path(1).asText()).append("\r\n");
    }
    head.append("\r\n");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(head.toString().getBytes(ISO_8859_1));
      return read(new String(socket.getInputStream().readAllBytes(), ISO_8859_1));
    }
  }

  private static RawExchange read(String received) {
    int end = received.indexOf("\r\n\r\n");
    String[] lines = received.substring(0, end).split("\r\n");
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int line = 1; line < lines.length; line++) {
      int colon = lines[line].indexOf(':');
      String value = lines[line].substring(colon + 1).strip();
      headers.merge(lines[line].substring(0, colon), value, (one, other) -> one + ", " + other);
    }
    byte[] body = received.substring(end + 4).getBytes(ISO_8859_1);
    boolean isChunked = "chunked".equalsIgnoreCase(headers.get("Transfer-Encoding"));
    String text = new String(isChunked ? joined(body) : body, UTF_8);
    return new RawExchange(Integer.parseInt(lines[0].split(" ")[1]), headers, text);
  }

  private static byte[] joined(byte[] chunks) {
    var joined = new ByteArrayOutputStream();
    String text = new String(chunks, ISO_8859_1);
    for (int at = 0; at < chunks.length; ) {
      int line = text.indexOf("\r\n", at);
      int length = Integer.parseInt(text.substring(at, line), 16);
      if (length == 0) break;
      joined.write(chunks, line + 2, length);
      at = line + 2 + length + 2;
    }
    return joined.toByteArray();
  }
}

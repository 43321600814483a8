package dev.latchkey.guard;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** How Latchkey's audit trail names a request. A grant from a lease needs none of it. */
public final class RequestNames {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Pattern CONTROLS = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]+");

  private final GuardedRequest request;
  private String requestId;

  /**
   * Reads a request when a name is needed.
   *
   * @param request null for none
   */
  public RequestNames(GuardedRequest request) {
    this.request = request;
  }

  /** The client's User-Agent. */
  public String userAgent() {
    return first("User-Agent", 256);
  }

  /** The client's X-Request-Id, and an end that no client can know. */
  public synchronized String requestId() {
    if (requestId == null) {
      byte[] random = new byte[8];
      RANDOM.nextBytes(random);
      String end = "-" + HexFormat.of().formatHex(random);
      requestId = (first("X-Request-Id", 100) + end).replaceFirst("^-+", "");
    }
    return requestId;
  }

  private String first(String name, int longest) {
    List<String> values = request == null ? List.of() : request.headers(name);
    return values.isEmpty() ? "" : tidy(values.get(0), longest);
  }

  /** Without control characters, and no longer than this. */
  static String tidy(String text, int longest) {
    return cut(CONTROLS.matcher(text).replaceAll(""), longest);
  }

  /** At most so many characters, none of them halved. */
  static String cut(String text, int longest) {
    if (text.length() <= longest || text.codePointCount(0, text.length()) <= longest) return text;
    return text.substring(0, text.offsetByCodePoints(0, longest));
  }
}

package dev.latchkey.guard;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Texts of clients, made safe to pass on. */
final class Texts {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Pattern CONTROLS = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]+");

  private Texts() {}

  /** At most so many characters, none of them halved. */
  static String cut(String text, int longest) {
    if (text.length() <= longest || text.codePointCount(0, text.length()) <= longest) return text;
    return text.substring(0, text.offsetByCodePoints(0, longest));
  }

  static String tidy(String text, int longest) {
    return text.isEmpty() ? text : cut(CONTROLS.matcher(text).replaceAll(""), longest);
  }

  /** Ends in what no client can know. */
  static String requestId(String given) {
    byte[] random = new byte[8];
    RANDOM.nextBytes(random);
    String id = tidy(given, 100) + "-" + HexFormat.of().formatHex(random);
    int from = 0;
    while (id.charAt(from) == '-') from++;
    return id.substring(from);
  }
}

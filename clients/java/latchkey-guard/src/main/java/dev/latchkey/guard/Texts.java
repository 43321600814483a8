package dev.latchkey.guard;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Texts of clients, made safe to pass on. */
final class Texts {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Texts() {}

  /** At most so many characters, none of them halved. */
  static String cut(String text, int longest) {
    if (text.codePointCount(0, text.length()) <= longest) return text;
    return text.substring(0, text.offsetByCodePoints(0, longest));
  }

  static String tidy(String text, int longest) {
    return cut(text.replaceAll("[\\x00-\\x1f\\x7f-\\x9f]", ""), longest);
  }

  /** Ends in what no client can know. */
  static String requestId(String given) {
    byte[] random = new byte[8];
    RANDOM.nextBytes(random);
    String suffix = HexFormat.of().formatHex(random);
    String own = tidy(given, 100).replaceFirst("^-+", "");
    return own.isEmpty() ? suffix : own + "-" + suffix;
  }
}

package dev.latchkey.guard.servlet;

import dev.latchkey.guard.Protection;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A path, and what it requires. */
record Route(List<String> segments, boolean hasMore, Protection protection) {
  private static final Pattern PATH =
      Pattern.compile("(?:/(?:[A-Za-z0-9._~-]+|\\{[A-Za-z0-9_]+\\}))*(?:/\\*\\*)?|/");

  /**
   * Servers and handlers read such paths in different ways. Letters, digits and -._~ that are
   * encoded would lead to a later route.
   */
  private static final Pattern AMBIGUOUS =
      Pattern.compile(
          "(?i)//|[;\\\\]|%(?:2[5def]|3[0-9b]|[46][1-9a-f]|5[0-9acf]|7[0-9ae]|00)|/\\.{1,2}(?:/|$)");

  static Route of(String path, Protection protection) {
    if (path == null || path.isEmpty() || !PATH.matcher(path).matches()) {
      throw new IllegalArgumentException(
          "route: \"%s\" is not a path such as /systems/{id} or /systems/**".formatted(path));
    }
    boolean hasMore = path.endsWith("/**");
    String fixed = hasMore ? path.substring(0, path.length() - 3) : path;
    return new Route(segmentsOf(fixed), hasMore, protection);
  }

  private static List<String> segmentsOf(String path) {
    return Arrays.asList(path.split("/", -1));
  }

  /** The parameters, before decoding; null if this is another path. */
  Map<String, String> match(String path) {
    List<String> found = segmentsOf(path);
    boolean isLong = found.size() == segments.size() || hasMore && found.size() > segments.size();
    if (!isLong || AMBIGUOUS.matcher(path).find()) return null;
    Map<String, String> parameters = new HashMap<>();
    for (int at = 0; at < segments.size(); at++) {
      String segment = segments.get(at);
      if (segment.startsWith("{")) {
        parameters.put(segment.substring(1, segment.length() - 1), found.get(at));
      } else if (!segment.equals(found.get(at))) {
        return null;
      }
    }
    return parameters;
  }
}

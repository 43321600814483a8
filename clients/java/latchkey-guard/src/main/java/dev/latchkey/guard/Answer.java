package dev.latchkey.guard;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import dev.latchkey.guard.Decision.RateLimit;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.Transport.FailedException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** A decision, and the lease that came with it or why it is 503; null without one. */
record Answer(Decision decision, Lease lease, FailedException failure) {
  private static final ObjectReader TREE =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .readerFor(JsonNode.class);
  private static final Pattern DURATION = Pattern.compile("(-?\\d{1,12}(?:\\.\\d{1,9})?)s");
  private static final Pattern WINDOW = Pattern.compile("\\d{1,9}");
  private static final long MOST = 0xFFFF_FFFFL;

  /** What came with a grant. Its length is in nanoseconds. */
  record Lease(long length, long uses, boolean hasOwnPermissions, List<String> allowedNetworks) {

    /**
     * The permission that covers the question's, by Latchkey's own rule; null: it grants nothing.
     */
    String covering(Question question, LatchkeyPrincipal principal) {
      Operation does = question.operation();
      String covering = Permissions.covering(question.permission(), principal.permissions());
      if (!principal.allows(does, "")) return null;
      if (!question.permission().isEmpty()) {
        if (covering.isEmpty()) return null;
      } else if (hasOwnPermissions) {
        String action = ":" + does.name().toLowerCase(Locale.ROOT);
        if (principal.permissions().stream().noneMatch(each -> each.endsWith(action))) return null;
      }
      boolean isAnywhere = allowedNetworks.isEmpty();
      return isAnywhere || Addresses.isWithin(question.clientIp(), allowedNetworks)
          ? covering
          : null;
    }
  }

  static Answer failed(FailedException failure) {
    return new Answer(Decision.UNAVAILABLE, null, failure);
  }

  /**
   * Reads a ValidateKeyResponse by exact names and types. A member of a newer Latchkey is ignored.
   *
   * @param window the rate limit's window in seconds, of an older Latchkey; or empty
   */
  static Answer read(byte[] body, Question question, String window) {
    JsonNode answer;
    try {
      answer = TREE.readTree(body);
    } catch (IOException e) {
      throw FailedException.unreadable("no JSON");
    }
    check(answer != null && answer.isObject(), "no object");
    check(text(answer, "requestId").equals(question.requestId()), "the answer to another request");
    check(answer.has("grant") != answer.has("denial"), "not one outcome");
    RateLimit rate =
        answer.has("rateLimit") ? rateLimit(object(answer, "rateLimit"), window) : null;
    if (answer.has("denial")) {
      return new Answer(denial(object(answer, "denial"), rate, question.permission()), null, null);
    }
    Lease lease = answer.has("lease") ? lease(object(answer, "lease")) : null;
    return new Answer(Decision.granted(principal(object(answer, "grant")), rate), lease, null);
  }

  private static RateLimit rateLimit(JsonNode rate, String window) {
    long seconds = WINDOW.matcher(window).matches() ? Long.parseLong(window) : 0;
    if (rate.has("window")) seconds = seconds(rate, "window");
    return new RateLimit(
        number(rate, "limit"), number(rate, "remaining"), seconds(rate, "resetAfter"), seconds);
  }

  private static LatchkeyPrincipal principal(JsonNode grant) {
    Access access =
        switch (text(grant, "access")) {
          case "ACCESS_LEVEL_READ_ONLY" -> Access.READ_ONLY;
          case "ACCESS_LEVEL_READ_AND_WRITE" -> Access.READ_AND_WRITE;
          default -> null;
        };
    String keyId = text(grant, "keyId");
    String ownerId = text(grant, "ownerId");
    check(!keyId.isEmpty() && !ownerId.isEmpty() && access != null, "an incomplete grant");
    Map<String, String> attributes = new HashMap<>();
    for (JsonNode pair : member(grant, "attributes", JsonNodeType.ARRAY)) {
      check(pair.has("name") && pair.has("value"), "an attribute without name or value");
      attributes.put(text(pair, "name"), text(pair, "value"));
    }
    try {
      Instant expiresAt = Instant.parse(text(grant, "expiresAt"));
      List<String> permissions = texts(grant, "permissions");
      return new LatchkeyPrincipal(keyId, ownerId, access, permissions, attributes, expiresAt);
    } catch (DateTimeException e) {
      throw FailedException.unreadable("expiresAt is no time");
    }
  }

  private static Lease lease(JsonNode given) {
    boolean hasOwn = member(given, "hasOwnPermissions", JsonNodeType.BOOLEAN).asBoolean();
    long length = number(given, "lengthMs") * 1_000_000;
    return new Lease(length, number(given, "uses"), hasOwn, texts(given, "allowedNetworks"));
  }

  private static Decision denial(JsonNode denial, RateLimit rate, String permission) {
    int status = (int) number(denial, "httpStatus");
    check(status == 401 || status == 403 || status == 429, "a denial with another status");
    // A reason of a newer Latchkey may come as its number.
    boolean isNumber = denial.path("reason").isNumber();
    String reason = isNumber ? "UNKNOWN" : text(denial, "reason").replaceFirst("^REASON_", "");
    check(!reason.isEmpty() && !reason.equals("UNSPECIFIED"), "a denial without a reason");
    boolean isMissing =
        reason.equals("MISSING_PERMISSION")
            || reason.equals("READ_ONLY_KEY") && !permission.endsWith(":read");
    long retryAfter = Math.max(1, seconds(denial, "retryAfter"));
    return new Decision(
        status,
        null,
        reason,
        rate,
        status == 429 ? retryAfter : 0,
        isMissing ? permission : "",
        text(denial, "keyId"),
        text(denial, "ownerId"));
  }

  /** Missing is the default of its type, as in proto3; another type is no answer. */
  private static JsonNode member(JsonNode object, String name, JsonNodeType type) {
    JsonNode member = object.path(name);
    check(member.isMissingNode() || member.getNodeType() == type, name + " is of another type");
    return member;
  }

  private static JsonNode object(JsonNode in, String name) {
    return member(in, name, JsonNodeType.OBJECT);
  }

  private static String text(JsonNode in, String name) {
    return member(in, name, JsonNodeType.STRING).asText();
  }

  private static List<String> texts(JsonNode in, String name) {
    List<String> texts = new ArrayList<>();
    for (JsonNode each : member(in, name, JsonNodeType.ARRAY)) {
      check(each.isTextual(), name + " has what is no text");
      texts.add(each.asText());
    }
    return texts;
  }

  private static long number(JsonNode in, String name) {
    double value = member(in, name, JsonNodeType.NUMBER).asDouble();
    check(value >= 0 && value <= MOST && value == Math.rint(value), name + " is no whole number");
    return (long) value;
  }

  /** Whole seconds, rounded up; 0 for none. */
  private static long seconds(JsonNode in, String name) {
    String text = text(in, name);
    if (text.isEmpty()) return 0;
    var match = DURATION.matcher(text);
    check(match.matches(), name + " is no duration");
    BigDecimal seconds = new BigDecimal(match.group(1)).setScale(0, RoundingMode.CEILING);
    return Math.max(0, seconds.longValue());
  }

  private static void check(boolean isRight, String problem) {
    if (!isRight) throw FailedException.unreadable(problem);
  }
}

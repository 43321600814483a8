package dev.latchkey.guard;

import static java.math.BigDecimal.ZERO;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import dev.latchkey.guard.Decision.RateLimit;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.Leases.Lease;
import dev.latchkey.guard.Transport.FailedException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

  static Answer failed(FailedException failure) {
    return new Answer(Decision.UNAVAILABLE, null, failure);
  }

  /**
   * Reads a ValidateKeyResponse by exact names and types. A member of a newer Latchkey is ignored.
   *
   * @param window the rate limit's window in seconds, of an older Latchkey; or empty
   */
  static Answer read(byte[] body, Question question, String window) throws FailedException {
    JsonNode answer;
    try {
      answer = TREE.readTree(body);
    } catch (IOException e) {
      throw FailedException.unreadable("no JSON");
    }
    check(answer != null && answer.isObject(), "no object");
    check(text(answer, "requestId").equals(question.requestId()), "the answer to another request");
    check(answer.has("grant") != answer.has("denial"), "not one outcome");
    boolean isGrant = answer.has("grant");
    Decision decision =
        isGrant
            ? Decision.granted(principal(object(answer, "grant")))
            : denial(object(answer, "denial"), question.permission());
    Lease lease = isGrant && answer.has("lease") ? lease(object(answer, "lease")) : null;
    if (!answer.has("rateLimit")) return new Answer(decision, lease, null);
    JsonNode rate = object(answer, "rateLimit");
    long seconds = WINDOW.matcher(window).matches() ? Long.parseLong(window) : 0;
    if (rate.has("window")) seconds = seconds(rate, "window");
    var left =
        new RateLimit(
            number(rate, "limit"), number(rate, "remaining"), seconds(rate, "resetAfter"), seconds);
    return new Answer(decision.with(left), lease, null);
  }

  private static LatchkeyPrincipal principal(JsonNode grant) throws FailedException {
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
    for (JsonNode pair : list(grant, "attributes")) {
      check(pair.has("name") && pair.has("value"), "an attribute without name or value");
      attributes.put(text(pair, "name"), text(pair, "value"));
    }
    Instant expiresAt;
    try {
      expiresAt = Instant.parse(text(grant, "expiresAt"));
    } catch (DateTimeException e) {
      throw FailedException.unreadable("expiresAt is no time");
    }
    List<String> permissions = texts(grant, "permissions");
    return new LatchkeyPrincipal(keyId, ownerId, access, permissions, attributes, expiresAt);
  }

  private static Lease lease(JsonNode given) throws FailedException {
    boolean hasOwn = member(given, "hasOwnPermissions", JsonNodeType.BOOLEAN).asBoolean();
    long lengthNanos = number(given, "lengthMs") * 1_000_000;
    return new Lease(lengthNanos, number(given, "uses"), hasOwn, texts(given, "allowedNetworks"));
  }

  private static Decision denial(JsonNode denial, String permission) throws FailedException {
    long status = number(denial, "httpStatus");
    check(status == 401 || status == 403 || status == 429, "a denial with another status");
    // A reason of a newer Latchkey may come as its number.
    boolean isNumber = denial.path("reason").isNumber();
    String reason = isNumber ? "UNKNOWN" : text(denial, "reason");
    check(!reason.isEmpty() && !reason.equals("REASON_UNSPECIFIED"), "a denial without a reason");
    reason = reason.replaceFirst("^REASON_", "");
    boolean isMissing =
        reason.equals("MISSING_PERMISSION")
            || reason.equals("READ_ONLY_KEY") && !permission.endsWith(":read");
    long retryAfter = Math.max(1, seconds(denial, "retryAfter"));
    return new Decision(
        (int) status,
        null,
        reason,
        null,
        status == 429 ? retryAfter : 0,
        isMissing ? permission : "",
        text(denial, "keyId"),
        text(denial, "ownerId"));
  }

  /** Missing is the default of its type, as in proto3; another type is no answer. */
  private static JsonNode member(JsonNode object, String name, JsonNodeType type)
      throws FailedException {
    JsonNode member = object.path(name);
    check(member.isMissingNode() || member.getNodeType() == type, name + " is of another type");
    return member;
  }

  private static JsonNode object(JsonNode in, String name) throws FailedException {
    return member(in, name, JsonNodeType.OBJECT);
  }

  private static String text(JsonNode in, String name) throws FailedException {
    return member(in, name, JsonNodeType.STRING).asText();
  }

  private static JsonNode list(JsonNode in, String name) throws FailedException {
    return member(in, name, JsonNodeType.ARRAY);
  }

  private static List<String> texts(JsonNode in, String name) throws FailedException {
    List<String> texts = new ArrayList<>();
    for (JsonNode each : list(in, name)) {
      check(each.isTextual(), name + " has what is no text");
      texts.add(each.asText());
    }
    return texts;
  }

  private static long number(JsonNode in, String name) throws FailedException {
    double value = member(in, name, JsonNodeType.NUMBER).asDouble();
    check(value >= 0 && value <= MOST && value == Math.rint(value), name + " is no whole number");
    return (long) value;
  }

  /** Whole seconds, rounded up; 0 for none. */
  private static long seconds(JsonNode in, String name) throws FailedException {
    String text = text(in, name);
    if (text.isEmpty()) return 0;
    var match = DURATION.matcher(text);
    check(match.matches(), name + " is no duration");
    return new BigDecimal(match.group(1)).setScale(0, RoundingMode.CEILING).max(ZERO).longValue();
  }

  private static void check(boolean isRight, String problem) throws FailedException {
    if (!isRight) throw FailedException.unreadable(problem);
  }
}

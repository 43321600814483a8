package dev.latchkey.guard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.latchkey.guard.Decision.RateLimit;
import dev.latchkey.guard.DecisionEvent.Source;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.Transport.FailedException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** A decision, who made it, and the lease that came with it or why it is 503; null for none. */
record Answer(Decision decision, Source source, Lease lease, FailedException failure) {
  private static final Map<String, Access> ACCESS =
      Map.of(
          "ACCESS_LEVEL_READ_ONLY", Access.READ_ONLY,
          "ACCESS_LEVEL_READ_AND_WRITE", Access.READ_AND_WRITE);

  /** What came with a grant. */
  record Lease(long lengthMs, long uses, boolean hasOwnPermissions, List<String> allowedNetworks) {

    /**
     * The permission that covers the question's, by Latchkey's own rule; null: it grants nothing.
     */
    String covering(Question question, LatchkeyPrincipal principal) {
      Operation does = question.operation();
      String covering = Permissions.covering(question.permission(), principal.permissions());
      boolean isCovered = !covering.isEmpty();
      if (question.permission().isEmpty()) {
        String action = ":" + does.name().toLowerCase(Locale.ROOT);
        isCovered =
            !hasOwnPermissions
                || principal.permissions().stream().anyMatch(each -> each.endsWith(action));
      }
      boolean isNear =
          allowedNetworks.isEmpty() || Addresses.isWithin(question.clientIp(), allowedNetworks);
      return isCovered && isNear && principal.allows(does, "") ? covering : null;
    }
  }

  static Answer failed(FailedException failure) {
    return new Answer(Decision.UNAVAILABLE, Source.SERVICE, null, failure);
  }

  static Answer leased(Decision granted) {
    return new Answer(granted, Source.LEASE, null, null);
  }

  /**
   * Reads a ValidateKeyResponse by exact names and types. A member of a newer Latchkey is ignored.
   *
   * @param window the rate limit's window, of an older Latchkey; or empty
   */
  static Answer read(byte[] body, Question question, String window) {
    try {
      JsonNode answer = Transport.JSON.readTree(body);
      check(answer.isObject(), "no object");
      check(
          text(answer, "requestId").equals(question.names().requestId()),
          "the answer to another request");
      boolean isDenied = answer.hasNonNull("denial");
      check(answer.hasNonNull("grant") != isDenied, "not one outcome");
      boolean hasRate = answer.hasNonNull("rateLimit");
      RateLimit rate = hasRate ? rateLimit(object(answer, "rateLimit"), window) : null;
      if (isDenied) {
        var denial = denial(object(answer, "denial"), rate, question.permission());
        return new Answer(denial, Source.SERVICE, null, null);
      }
      Lease lease = answer.hasNonNull("lease") ? lease(object(answer, "lease")) : null;
      Decision granted = Decision.granted(principal(object(answer, "grant")), rate);
      return new Answer(granted, Source.SERVICE, lease, null);
    } catch (IOException e) {
      throw FailedException.unreadable("no JSON");
    } catch (RuntimeException e) {
      throw FailedException.unreadable(e.getMessage());
    }
  }

  private static RateLimit rateLimit(JsonNode rate, String window) {
    String own = text(rate, "window");
    return new RateLimit(
        number(rate, "limit"),
        number(rate, "remaining"),
        seconds(text(rate, "resetAfter")),
        seconds(own.isEmpty() ? window : own));
  }

  private static LatchkeyPrincipal principal(JsonNode grant) {
    String keyId = text(grant, "keyId");
    String ownerId = text(grant, "ownerId");
    Access access = ACCESS.get(text(grant, "access"));
    check(!keyId.isEmpty() && !ownerId.isEmpty() && access != null, "an incomplete grant");
    Map<String, String> attributes = new HashMap<>();
    for (JsonNode pair : member(grant, "attributes", JsonNodeType.ARRAY)) {
      check(pair.has("name") && pair.has("value"), "an attribute without name or value");
      attributes.put(text(pair, "name"), text(pair, "value"));
    }
    return new LatchkeyPrincipal(
        keyId,
        ownerId,
        access,
        texts(grant, "permissions"),
        attributes,
        Instant.parse(text(grant, "expiresAt")));
  }

  private static Lease lease(JsonNode given) {
    boolean hasOwn = member(given, "hasOwnPermissions", JsonNodeType.BOOLEAN).asBoolean();
    List<String> networks = texts(given, "allowedNetworks");
    return new Lease(number(given, "lengthMs"), number(given, "uses"), hasOwn, networks);
  }

  private static Decision denial(JsonNode denial, RateLimit rate, String permission) {
    int status = (int) number(denial, "httpStatus");
    check(status == 401 || status == 403 || status == 429, "a denial with another status");
    // A reason of a newer Latchkey may come as its number.
    JsonNode given = denial.path("reason");
    boolean isNumber = given.isNumber() && given.asInt() != 0;
    String reason = isNumber ? "UNKNOWN" : text(denial, "reason").replaceFirst("^REASON_", "");
    check(!Set.of("", "UNSPECIFIED").contains(reason), "a denial without a reason");
    boolean isMissing =
        reason.equals("MISSING_PERMISSION")
            || reason.equals("READ_ONLY_KEY") && !permission.endsWith(":read");
    return new Decision(
        status,
        null,
        reason,
        rate,
        status == 429 ? Math.max(1, seconds(text(denial, "retryAfter"))) : 0,
        isMissing ? permission : "",
        text(denial, "keyId"),
        text(denial, "ownerId"));
  }

  /** Missing or null is the default of its type, as in proto3; another type is no answer. */
  private static JsonNode member(JsonNode object, String name, JsonNodeType type) {
    JsonNode member = object.hasNonNull(name) ? object.get(name) : MissingNode.getInstance();
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

  /** A uint32. */
  private static long number(JsonNode in, String name) {
    JsonNode number = member(in, name, JsonNodeType.NUMBER);
    check(number.isMissingNode() || number.canConvertToLong(), name + " is no whole number");
    check(number.asLong() >>> 32 == 0 && !number.isFloatingPointNumber(), name + " is no uint32");
    return number.asLong();
  }

  /** Whole seconds of a duration such as 0.050s, rounded up; 0 for an empty one. */
  private static long seconds(String text) {
    if (text.isEmpty()) return 0;
    return Math.max(0, Duration.parse("PT" + text).plusNanos(999_999_999).toSeconds());
  }

  private static void check(boolean isRight, String problem) {
    if (!isRight) throw new IllegalArgumentException(problem);
  }
}

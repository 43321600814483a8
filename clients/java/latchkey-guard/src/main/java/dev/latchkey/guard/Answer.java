package dev.latchkey.guard;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.latchkey.guard.Decision.RateLimit;
import dev.latchkey.guard.DecisionEvent.Source;
import dev.latchkey.guard.LatchkeyPrincipal.Access;
import dev.latchkey.guard.Transport.Body;
import dev.latchkey.guard.Transport.FailedException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
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

  /** A ValidateKeyResponse in JSON. {@link Transport#JSON} reads it by exact names and types. */
  private record Response(
      String requestId, Grant grant, Denial denial, Rate rateLimit, Lease lease) {}

  private record Attribute(
      @JsonProperty(required = true) String name, @JsonProperty(required = true) String value) {}

  private record Grant(
      String keyId,
      String ownerId,
      String access,
      List<String> permissions,
      List<Attribute> attributes,
      String expiresAt) {

    LatchkeyPrincipal principal() {
      Access level = ACCESS.get(access);
      check(!keyId.isEmpty() && !ownerId.isEmpty() && level != null, "an incomplete grant");
      Map<String, String> pairs = new HashMap<>();
      for (Attribute each : attributes) pairs.put(each.name, each.value);
      Instant expiry = Instant.parse(expiresAt);
      return new LatchkeyPrincipal(keyId, ownerId, level, permissions, pairs, expiry);
    }
  }

  private record Denial(
      int httpStatus, Object reason, String retryAfter, String keyId, String ownerId) {

    Decision decision(RateLimit rate, String permission) {
      check(Set.of(401, 403, 429).contains(httpStatus), "a denial with another status");
      String name = reason instanceof String text ? text.replaceFirst("^REASON_", "") : "";
      // A reason of a newer Latchkey may come as its number.
      if (reason instanceof Number number && number.intValue() != 0) name = "UNKNOWN";
      check(!Set.of("", "UNSPECIFIED").contains(name), "a denial without a reason");
      boolean isMissing =
          name.equals("MISSING_PERMISSION")
              || name.equals("READ_ONLY_KEY") && !permission.endsWith(":read");
      String missing = isMissing ? permission : "";
      long retrySeconds = httpStatus == 429 ? Math.max(1, seconds(retryAfter)) : 0;
      return new Decision(httpStatus, null, name, rate, retrySeconds, missing, keyId, ownerId);
    }
  }

  private record Rate(long limit, long remaining, String resetAfter, String window) {
    Rate {
      checkUint32s(limit, remaining);
    }

    RateLimit limit(String windowOfService) {
      String own = window.isEmpty() ? windowOfService : window;
      return new RateLimit(limit, remaining, seconds(resetAfter), seconds(own));
    }
  }

  /** What came with a grant. */
  record Lease(long lengthMs, long uses, boolean hasOwnPermissions, List<String> allowedNetworks) {
    Lease {
      checkUint32s(lengthMs, uses);
    }

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

  /** Reads Latchkey's answer to this question. */
  static Answer read(Body body, Question question) {
    try {
      Response came = Transport.JSON.readValue(body.bytes(), Response.class);
      check(came != null, "no object");
      check(came.requestId.equals(question.names().requestId()), "the answer to another request");
      check((came.grant == null) != (came.denial == null), "not one outcome");
      RateLimit rate = came.rateLimit == null ? null : came.rateLimit.limit(body.window());
      if (came.denial != null) {
        Decision denied = came.denial.decision(rate, question.permission());
        return new Answer(denied, Source.SERVICE, null, null);
      }
      Decision granted = Decision.granted(came.grant.principal(), rate);
      return new Answer(granted, Source.SERVICE, came.lease, null);
    } catch (IOException | RuntimeException e) {
      throw FailedException.unreadable(e.getMessage());
    }
  }

  /** Whole seconds of a duration such as 0.050s, rounded up; 0 for an empty one. */
  private static long seconds(String text) {
    if (text.isEmpty()) return 0;
    return Math.max(0, Duration.parse("PT" + text).plusNanos(999_999_999).toSeconds());
  }

  private static void checkUint32s(long one, long other) {
    check((one | other) >>> 32 == 0, "a number is no uint32");
  }

  private static void check(boolean isRight, String problem) {
    if (!isRight) throw new IllegalArgumentException(problem);
  }
}

package dev.latchkey.guard;

/**
 * How a guard answers a question.
 *
 * @param status 200, 401, 403, 429 or 503
 * @param principal who is granted; null unless the status is 200
 * @param reason why not, for logs and never for the client: such as REVOKED; UNKNOWN is a reason of
 *     a newer Latchkey; empty with 200
 * @param rateLimit what is left for the key; null until the secret of the key is proven
 * @param retryAfterSeconds when to come again, with 429; 0 otherwise
 * @param missingPermission the permission that the key lacks; empty otherwise
 * @param keyId the refused key, once its secret is proven; empty otherwise
 * @param ownerId the owner of the refused key; empty like keyId
 */
public record Decision(
    int status,
    LatchkeyPrincipal principal,
    String reason,
    RateLimit rateLimit,
    long retryAfterSeconds,
    String missingPermission,
    String keyId,
    String ownerId) {

  static final Decision UNAVAILABLE =
      new Decision(503, null, "SERVICE_UNAVAILABLE", null, 0, "", "", "");

  /**
   * What is left for a key. Seconds are whole ones, rounded up.
   *
   * @param limit the requests in a window
   * @param remaining the requests that are left
   * @param resetSeconds until when there are more
   * @param windowSeconds the length of a window; 0 if it is not known
   */
  public record RateLimit(long limit, long remaining, long resetSeconds, long windowSeconds) {}

  static Decision granted(LatchkeyPrincipal principal, RateLimit rateLimit) {
    return new Decision(200, principal, "", rateLimit, 0, "", "", "");
  }

  /** The same grant, with less left after so many uses of its lease. */
  Decision after(long used) {
    if (rateLimit == null) return this;
    long left = Math.max(0, rateLimit.remaining - used);
    return granted(
        principal,
        new RateLimit(rateLimit.limit, left, rateLimit.resetSeconds, rateLimit.windowSeconds));
  }

  /** Whether the request may go on to its handler. */
  public boolean isGranted() {
    return status == 200;
  }

  /**
   * The JSON for a refused client, the same for every reason: a client does not learn which it was.
   *
   * @throws IllegalStateException the request is granted
   */
  public String body() {
    String message =
        switch (status) {
          case 401 -> "invalid api key";
          case 403 -> "operation not allowed";
          case 429 -> "too many requests";
          case 503 -> "service unavailable";
          default -> throw new IllegalStateException("A decision of " + status + " has no body");
        };
    return "{\"message\":\"" + message + "\"}";
  }
}

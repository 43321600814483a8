package dev.latchkey.guard;

import java.time.Duration;

/**
 * One decision, for metrics and logs. It never has the key.
 *
 * @param decision the answer
 * @param operation what the request does
 * @param permission with the parameters of the route
 * @param template as the route names the permission, for labels
 * @param clientIp the client's address; empty if it is not certain
 * @param requestId the id that Latchkey's audit trail has
 * @param source who decided
 * @param latency how long the decision took
 */
public record DecisionEvent(
    Decision decision,
    Operation operation,
    String permission,
    String template,
    String clientIp,
    String requestId,
    Source source,
    Duration latency) {

  /** Who decided. */
  public enum Source {
    /** A call of Latchkey. */
    SERVICE,
    /** A lease that an earlier call brought. */
    LEASE
  }
}

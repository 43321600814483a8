package dev.latchkey.guard;

/**
 * One request of a client, as Latchkey judges it.
 *
 * @param credential what the client presents
 * @param operation what the request does
 * @param permission {@code resource:action}; empty: any good key is enough
 * @param template the permission as the route names it, such as {@code systems/{id}:read}
 * @param clientIp the client's address; empty if it is not certain
 * @param userAgent the client's User-Agent, for the audit trail
 * @param requestId names this request, and ends in what no client can know; empty: one is made
 * @param challenge the value of {@code WWW-Authenticate} for an answer of 401
 */
public record Question(
    Credential credential,
    Operation operation,
    String permission,
    String template,
    String clientIp,
    String userAgent,
    String requestId,
    String challenge) {

  /** Gives a question without a requestId one, so that no answer to another question counts. */
  public Question {
    if (requestId.isEmpty()) requestId = Texts.requestId("");
  }
}

package dev.latchkey.guard;

/**
 * One request of a client, as Latchkey judges it.
 *
 * @param credential what the client presents
 * @param operation what the request does
 * @param permission {@code resource:action}; empty: any good key is enough
 * @param template the permission as the route names it, such as {@code systems/{id}:read}
 * @param clientIp the client's address; empty if it is not certain
 * @param challenge the value of {@code WWW-Authenticate} for an answer of 401
 * @param names for the audit trail, of this question alone
 */
public record Question(
    Credential credential,
    Operation operation,
    String permission,
    String template,
    String clientIp,
    String challenge,
    RequestNames names) {}

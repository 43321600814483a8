package dev.latchkey.guard;

import java.util.List;

/** How Latchkey's audit trail names a request. A grant from a lease needs none of it. */
public final class RequestNames {
  private final GuardedRequest request;
  private String requestId;

  /**
   * Reads a request when a name is needed.
   *
   * @param request null for none
   */
  public RequestNames(GuardedRequest request) {
    this.request = request;
  }

  /** The client's User-Agent. */
  public String userAgent() {
    return Texts.tidy(first("User-Agent"), 256);
  }

  /** The client's X-Request-Id, and an end that no client can know. */
  public synchronized String requestId() {
    if (requestId == null) requestId = Texts.requestId(first("X-Request-Id"));
    return requestId;
  }

  private String first(String name) {
    List<String> values = request == null ? List.of() : request.headers(name);
    return values.isEmpty() ? "" : values.get(0);
  }
}

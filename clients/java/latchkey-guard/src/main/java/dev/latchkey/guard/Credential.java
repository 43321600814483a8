package dev.latchkey.guard;

import java.util.HashMap;
import java.util.Map;

/**
 * What a request presents: an API key by itself, or one Authorization header as it came. If both
 * are empty, it is an invalid key.
 *
 * @param apiKey the key, as found in X-API-Key or Basic; empty otherwise
 * @param authorization the value of the header; empty otherwise
 */
public record Credential(String apiKey, String authorization) {
  static final Credential NONE = new Credential("", "");
  private static final int LONGEST = 4096;

  /** Cuts texts that no key has, so that they cost Latchkey nothing. */
  public Credential {
    apiKey = RequestNames.cut(apiKey, LONGEST);
    authorization = RequestNames.cut(authorization, LONGEST);
  }

  boolean isEmpty() {
    return apiKey.isEmpty() && authorization.isEmpty();
  }

  /** What a call and a report of uses have in common, as JSON. */
  Map<String, Object> message(Operation operation, String permission, String clientIp) {
    Map<String, Object> message = new HashMap<>();
    if (apiKey.isEmpty()) message.put("authorization", authorization);
    else message.put("apiKey", apiKey);
    message.put("operation", "OPERATION_" + operation);
    message.put("permission", permission);
    message.put("clientIp", clientIp);
    return message;
  }

  /** Never shows the key. */
  @Override
  public String toString() {
    return isEmpty() ? "no credential" : "[redacted]";
  }
}

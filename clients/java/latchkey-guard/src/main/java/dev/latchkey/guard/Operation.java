package dev.latchkey.guard;

/** What a request does. No key may ever do the last four. */
public enum Operation {
  /** Reads: GET, HEAD and OPTIONS. */
  READ,
  /** Changes something: POST, PUT and PATCH. */
  WRITE,
  /** Deletes something: DELETE, and every method that has no operation. */
  DESTROY,
  /** Makes or ends API keys. */
  MANAGE_API_KEYS,
  /** Changes an account. */
  MANAGE_ACCOUNT,
  /** Acts as somebody else. */
  IMPERSONATE
}

package dev.latchkey.guard;

/** A place where a request may carry its key. */
public enum CredentialForm {
  /** {@code Authorization: Bearer <key>} */
  BEARER,
  /** {@code X-API-Key: <key>} */
  X_API_KEY,
  /** {@code Authorization: Basic}, the key as the password of any user name. */
  BASIC
}

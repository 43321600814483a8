package dev.latchkey.guard;

import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The account and the key that a request acts with.
 *
 * @param keyId the id of the key, for logs
 * @param ownerId the id of the account that the key belongs to
 * @param access what the key may do at most
 * @param permissions the owner's permissions, as far as the key may use them
 * @param attributes what the platform says of the account, such as its tenant
 * @param expiresAt when the key expires
 */
public record LatchkeyPrincipal(
    String keyId,
    String ownerId,
    Access access,
    List<String> permissions,
    Map<String, String> attributes,
    Instant expiresAt)
    implements Principal {

  /** What a key may do at most. */
  public enum Access {
    /** The key may only read. */
    READ_ONLY,
    /** The key may read and write. */
    READ_AND_WRITE;

    /** {@code read-only} or {@code read-and-write}, as Latchkey's HTTP API writes it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Copies the collections, so that nobody changes what was granted. */
  public LatchkeyPrincipal {
    permissions = List.copyOf(permissions);
    attributes = Map.copyOf(attributes);
  }

  /** The owner's id: whoever uses the key acts for this account. */
  @Override
  public String getName() {
    return ownerId;
  }

  /** Whether a permission of the key covers this one: systems:read covers systems/42:read. */
  public boolean hasPermission(String permission) {
    return !Permissions.covering(permission, permissions).isEmpty();
  }

  /**
   * Whether the key may do this, by its access and its permissions.
   *
   * @param permission {@code resource:action}; empty: any good key is enough
   */
  public boolean allows(Operation operation, String permission) {
    boolean isWithinAccess =
        operation == Operation.READ
            || operation == Operation.WRITE && access == Access.READ_AND_WRITE;
    return isWithinAccess && (permission.isEmpty() || hasPermission(permission));
  }
}

/**
 * Who or what ended a key, as its event on the audit trail says. Events from before reasons were introduced have none.
 */
export type RevocationReason =
  /** Its owner, in the settings screen or over HTTP. */
  | 'owner'
  /** A person at the command line. */
  | 'administrator'
  /** The platform, over gRPC. */
  | 'platform'
  /** The grace period after the first use of its successor is over. */
  | 'rotated'
  /** Somebody reported the key string as leaked. */
  | 'leaked'
  /** Its owner's account was purged. */
  | 'purged';

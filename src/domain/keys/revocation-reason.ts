/** Who or what ended a key, as its event on record says. Events that were recorded before there were reasons have none. */
export type RevocationReason =
  /** Its owner, in the settings screen or over HTTP. */
  | 'owner'
  /** A person at the command line. */
  | 'administrator'
  /** The platform, over gRPC. */
  | 'platform'
  /** Its successor is in use. */
  | 'rotated'
  /** Somebody else held the key string. */
  | 'leaked'
  /** Its owner's account was purged. */
  | 'purged';

/** Copies of rules of the service. A test compares them with those in `src/domain`. */
export const MAX_NAME_LENGTH = 64;
export const MAX_NOTE_LENGTH = 200;
export const DEFAULT_EXPIRY_DAYS = 90;
export const MAX_KEY_DAYS = 365;
export const MAX_KEY_PERMISSIONS = 100;
export const MAX_ALLOWED_NETWORKS = 20;
export const DEFAULT_GRACE_SECONDS = 86_400;
export const USAGE_KEPT_DAYS = 90;
export const ADDRESSES_KEPT = 5;

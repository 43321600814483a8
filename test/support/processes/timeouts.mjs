/** How long a store may take in tests about something else: a busy machine is no outage. */
export const STORE_TIMEOUT_MS = 30_000;

/**
 * The same for a service that is started with an environment; and a slow machine logs no slow validations. A test about
 * outages or slow validations sets its own.
 */
export const LONG_TIMEOUTS = { DATABASE_PATIENCE_MS: String(STORE_TIMEOUT_MS), SLOW_VALIDATION_MS: '0' };

/** The deadline of guards and calls in tests about something else. */
export const CALL_TIMEOUT_MS = 60_000;

/** For tests in which an owner creates many keys. A test about the limit sets its own. */
export const NO_KEY_LIMIT = { KEY_CHANGES_PER_HOUR: '0' };

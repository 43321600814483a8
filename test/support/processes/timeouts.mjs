/** How long a store may take in tests about something else: a busy machine is no outage. */
export const STORE_TIMEOUT_MS = 30_000;

/** The same for a service that is started with an environment. A test about outages sets its own timeout. */
export const LONG_TIMEOUTS = { DATABASE_PATIENCE_MS: String(STORE_TIMEOUT_MS) };

/** The deadline of guards and calls in tests about something else. */
export const CALL_TIMEOUT_MS = 60_000;

/** For tests in which an owner creates many keys. A test about the limit sets its own. */
export const NO_KEY_LIMIT = { KEY_CHANGES_PER_HOUR: '0' };

/** How long a store may take in tests about something else: a busy machine is no outage. */
export const STORE_PATIENCE_MS = 30_000;

/** The same for a service that is started with an environment. A test about outages sets its own timeout. */
export const PATIENT = { DATABASE_PATIENCE_MS: String(STORE_PATIENCE_MS) };

/** The deadline of guards and calls in tests about something else. */
export const CALL_PATIENCE_MS = 60_000;

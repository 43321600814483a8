/** How long a store may take in tests whose subject is something else: a busy machine is no outage. */
export const STORE_PATIENCE_MS = 30_000;

/** The same for a service that is started with an environment. A test about outages sets its own. */
export const PATIENT = { DATABASE_PATIENCE_MS: String(STORE_PATIENCE_MS) };

/** The deadline of guards and calls in tests whose subject it is not. */
export const CALL_PATIENCE_MS = 60_000;

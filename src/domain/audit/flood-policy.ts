/**
 * What failed authentications may cost while they come in a flood. In everyday life each is committed at once; between
 * that and a flood the commits lie ever further apart.
 */
export const EVERYDAY_FAILURES_PER_SECOND = 50;
export const FLOOD_FAILURES_PER_SECOND = 150;
/** From one commit to the next while there is a flood. */
export const LONGEST_PAUSE_MS = 250;

/** What a process promises, by PostgreSQL's clock. */
const MAX_ROWS_PER_SECOND = 1000;
/** A late commit comes closer to the next one there than it did here. */
const MARGIN = 100;
/** Rows that may be written at once; what comes back a second, together with these, stays within the promise. */
export const ROWS_AT_ONCE = 200;
export const ROWS_REGAINED_PER_SECOND = MAX_ROWS_PER_SECOND - MARGIN - ROWS_AT_ONCE;

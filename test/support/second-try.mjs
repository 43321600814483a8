import { jest } from '@jest/globals';

// A shared machine may stand still for longer than PostgreSQL is given to answer (120 ms), which is an outage by the
// rules. Such a test may try again, once; `npm test` names it, so that one that does so often is noticed and mended.
// The long form gives no second chance: it looks for what goes wrong once in a thousand times.
if (process.env['LATCHKEY_LONG'] !== '1') jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });

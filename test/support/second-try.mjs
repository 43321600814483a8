import { expect, jest } from '@jest/globals';

// A shared machine may stop for longer than PostgreSQL has to answer (120 ms), which counts as an outage. A test that
// fails for that may try once more; `npm test` names it, so that a test that often needs it is noticed and repaired.
// Tests of the promises get no second try, and neither does the long form: one wrong grant in a thousand is one too
// many.
const PROMISES = /\/(src\/domain|test\/(api|attacks|doors|faults))\//;
const isStrict = process.env['LATCHKEY_LONG'] === '1' || PROMISES.test(expect.getState().testPath ?? '');
if (!isStrict) jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });

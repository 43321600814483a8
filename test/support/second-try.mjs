import { expect, jest } from '@jest/globals';

// A shared machine may stand still for longer than PostgreSQL is given to answer (120 ms), which is an outage by the
// rules. Such a test may try again, once; `npm test` names it, so that one that does so often is noticed and mended.
// What is promised gets no second chance, nor does the long form: a wrong grant once in a thousand times is one too many.
const PROMISES = /\/(src\/domain|test\/(api|attacks|doors|faults))\//;
const isStrict = process.env['LATCHKEY_LONG'] === '1' || PROMISES.test(expect.getState().testPath ?? '');
if (!isStrict) jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });

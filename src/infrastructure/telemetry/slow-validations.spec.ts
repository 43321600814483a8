import { beforeEach, describe, expect, it } from '@jest/globals';
import { keptLog } from '#test/support/reading/kept-log.js';
import { LatchkeyError } from '#domain/errors.js';
import { deny } from '#domain/keys/verdict.js';
import { SlowValidations } from './slow-validations.js';

const client = { ip: '192.0.2.1', userAgent: null, requestId: 'request-1' };
const ENDED = {
  request: { client, service: 'billing' },
  verdict: deny('revoked'),
  error: undefined,
  batch: 60.04,
  postgresql: 30,
  limits: 0,
  record: 20,
  leaseUses: 0,
};

describe('a slow validation', () => {
  let nowMs: number;
  let log: ReturnType<typeof keptLog>;
  let slow: SlowValidations;
  beforeEach(() => {
    nowMs = 5000;
    log = keptLog();
    slow = new SlowValidations(log.log, 100, () => nowMs);
  });

  it('takes longer than the threshold; with a threshold of 0 no validation is slow', () => {
    expect([99, 100, 100.1].map((ms) => slow.isSlow(ms))).toEqual([false, false, true]);
    expect(new SlowValidations(log.log, 0).isSlow(60_000)).toBe(false);
  });

  it('is logged in one line with its request, service, outcome and parts', () => {
    slow.note(ENDED, 110.26);
    expect(log.entries).toEqual([
      {
        level: 40,
        time: expect.any(String),
        msg: 'slow validation',
        requestId: 'request-1',
        service: 'billing',
        outcome: 'denied',
        reason: 'revoked',
        totalMs: 110.3,
        batchMs: 60,
        postgresqlMs: 30,
        limitsMs: 0,
        recordMs: 20,
        restMs: 0.2,
      },
    ]);
  });

  it('is logged with the uses of the lease that was given with it', () => {
    slow.note({ ...ENDED, leaseUses: 7 }, 150);
    expect(log.entries).toMatchObject([{ leaseUses: 7 }]);
  });

  it('is logged with the message of the store if it failed', () => {
    const error = new LatchkeyError('unavailable', 'try again', {}, { cause: new Error('no answer within 120 ms') });
    slow.note({ ...ENDED, verdict: undefined, error }, 150);
    slow.note({ ...ENDED, verdict: undefined, error: new LatchkeyError('busy', 'too much to do') }, 150);
    expect(log.entries).toMatchObject([
      { outcome: 'failed', failure: 'no answer within 120 ms' },
      { outcome: 'failed', failure: 'LatchkeyError: too much to do' },
    ]);
  });

  it('is logged at most ten times a second, with the number of dropped lines', () => {
    for (let n = 0; n < 13; n += 1) slow.note(ENDED, 150);
    expect(log.entries.map((entry) => entry['dropped'])).toEqual(new Array(10).fill(undefined));
    nowMs += 999;
    slow.note(ENDED, 150);
    nowMs += 1;
    slow.note(ENDED, 150);
    slow.note(ENDED, 150);
    expect(log.entries.map((entry) => entry['dropped'])).toEqual([...new Array(10).fill(undefined), 4, undefined]);
  });
});

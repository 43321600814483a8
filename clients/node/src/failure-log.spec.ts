import { describe, expect, it } from '@jest/globals';
import { failureLog } from './failure-log.js';

function subject(hasToken = true) {
  const lines: string[] = [];
  const clock = { nowMs: 0 };
  return {
    lines,
    clock,
    log: failureLog(
      hasToken,
      (line) => void lines.push(line),
      () => clock.nowMs,
    ),
  };
}

describe('the log of failures', () => {
  it.each([
    ['UNAUTHENTICATED', "SERVICE_TOKENS there needs the token's SHA-256"],
    ['PERMISSION_DENIED', 'needs the role validator'],
    ['UNAVAILABLE', 'does Latchkey run'],
    ['DEADLINE_EXCEEDED', 'did not answer within deadlineMs'],
    ['UNIMPLEMENTED', "is not Latchkey's gRPC port"],
    ['UNREADABLE_ANSWER', 'is the guard older than the service?'],
  ])('says for %s what to check', (code, check) => {
    const { lines, log } = subject();
    log({ code, message: 'the reason' });
    expect(lines).toEqual([expect.stringContaining(`a request was answered with 503: ${code} (the reason).`)]);
    expect(lines[0]).toContain(check);
  });

  it.each(['UNAUTHENTICATED', 'PERMISSION_DENIED'])('names the certificate for %s where no token is set', (code) => {
    const { lines, log } = subject(false);
    log({ code, message: 'the reason' });
    expect(lines).toEqual([expect.stringMatching(/\. .*tls\.cert.*GRPC_TLS_CLIENT_ROLES/)]);
    expect(lines[0]).not.toContain('serviceToken');
  });

  it('writes the first failure and then one line a minute with a count', () => {
    const { lines, clock, log } = subject();
    const fail = () => log({ code: 'INTERNAL', message: 'broken' });
    for (let n = 0; n < 5; n += 1) fail();
    expect(lines).toEqual(['[latchkey guard] a request was answered with 503: INTERNAL (broken).']);
    clock.nowMs = 60_000;
    fail();
    expect(lines[1]).toBe('[latchkey guard] 5 requests were answered with 503: INTERNAL (broken).');
    fail();
    expect(lines).toHaveLength(2);
  });
});

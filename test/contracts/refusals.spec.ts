import { describe, expect, jest, test } from '@jest/globals';
import type { Refusals } from '#application/validation-ports.js';
import type { FailedAuthentication } from '#domain/audit/audit-event.js';
import type { KeyRights } from '#domain/keys/key-rights.js';
import { Log, LoggedRefusals } from '#infrastructure/telemetry/log.js';
import { fakeRefusals } from '../fakes/recorders.js';
import { unknownKey } from '../support/callers/key-strings.js';

interface Subject {
  readonly refusals: Refusals;
  /** What a person can read about each refusal. */
  reported(): readonly unknown[];
}

function openFake(): Subject {
  const refusals = fakeRefusals();
  const reported = () =>
    refusals.noted.map(({ reason, why, keyId, client, question }) => ({
      reason,
      why,
      keyId: keyId ?? undefined,
      requestId: client.requestId ?? undefined,
      permission: question?.permission,
    }));
  return { refusals, reported };
}

function openLog(level = 'debug'): Subject {
  const lines: string[] = [];
  const refusals = new LoggedRefusals(new Log(level, { write: (line) => void lines.push(line) }));
  return { refusals, reported: () => lines.map((line) => JSON.parse(line) as unknown) };
}

const REFUSED: FailedAuthentication = {
  reason: 'missing-permission',
  client: { ip: '203.0.113.9', userAgent: null, requestId: 'r1' },
  keyId: 'k1',
  ownerId: 'o1',
  publicPart: 'p1',
};
const QUESTION = { operation: 'write', permission: 'systems:write' } as const;

describe.each([
  ['in memory', openFake],
  ['in the log', openLog],
])('Refusals %s', (_name, open) => {
  test('report the reason, the request, the key and the requested permission', () => {
    const { refusals, reported } = open();
    refusals.note(REFUSED, { question: QUESTION });
    const unproven = { ...REFUSED, reason: 'invalid-key' as const, keyId: null, ownerId: null, publicPart: null };
    refusals.note(unproven, { why: 'not a well-formed key' });
    expect(reported()).toMatchObject([
      { reason: 'missing-permission', keyId: 'k1', requestId: 'r1', permission: 'systems:write' },
      { reason: 'invalid-key', why: 'not a well-formed key', requestId: 'r1' },
    ]);
  });
});

describe('Refusals in the log', () => {
  const RIGHTS: KeyRights = {
    access: 'read-only',
    permissions: ['systems:read'],
    hasSubset: true,
    allowedNetworks: null,
  };

  test('are one line for each key, reason and minute at the level info, with what was asked and what the key has', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const { refusals, reported } = openLog('info');
      const note = (part: Partial<FailedAuthentication> = {}) =>
        refusals.note({ ...REFUSED, ...part }, { question: QUESTION, rights: RIGHTS });
      note();
      clock.mockReturnValue(59_999);
      note();
      note({ reason: 'rate-limited' });
      note({ keyId: 'k2' });
      clock.mockReturnValue(60_000);
      note();
      const line = {
        level: 30,
        msg: 'refused',
        reason: 'missing-permission',
        keyId: 'k1',
        ownerId: 'o1',
        requestId: 'r1',
      };
      const asked = { ...QUESTION, has: { access: 'read-only', permissions: ['systems:read'] } };
      expect(reported()).toMatchObject([
        { ...line, ...asked },
        { ...line, reason: 'rate-limited' },
        { ...line, keyId: 'k2' },
        { ...line, ...asked },
      ]);
    } finally {
      clock.mockRestore();
    }
  });

  test('are no line at the level info for a key that is not proven', () => {
    const { refusals, reported } = openLog('info');
    refusals.note({ ...REFUSED, reason: 'invalid-key' }, { why: 'wrong secret' });
    expect(reported()).toEqual([]);
  });

  test('name twenty permissions of a key that has more, and how many are left out', () => {
    const { refusals, reported } = openLog('info');
    const permissions = Array.from({ length: 25 }, (_, n) => `systems/${n}:read`);
    refusals.note(REFUSED, { rights: { ...RIGHTS, permissions } });
    expect(reported()).toMatchObject([{ has: { permissions: permissions.slice(0, 20), morePermissions: 5 } }]);
  });

  test('contain no secret', () => {
    const { refusals, reported } = openLog();
    const key = unknownKey();
    refusals.note({ ...REFUSED, client: { ...REFUSED.client, requestId: key } }, { why: key });
    expect(JSON.stringify(reported())).not.toContain(key.slice(28, 60));
  });
});

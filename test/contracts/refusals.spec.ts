import { describe, expect, test } from '@jest/globals';
import type { Refusals } from '../../src/application/ports.js';
import type { FailedAuthentication } from '../../src/domain/audit/audit-event.js';
import { Log, LoggedRefusals } from '../../src/infrastructure/telemetry/log.js';
import { FakeRefusals } from '../fakes/fake-refusals.js';
import { unknownKey } from '../support/callers/key-strings.js';

interface Subject {
  readonly refusals: Refusals;
  /** What a person can read about each refusal. */
  reported(): readonly unknown[];
}

function openFake(): Subject {
  const refusals = new FakeRefusals();
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
  test('cost nothing at the level info', () => {
    const { refusals, reported } = openLog('info');
    const unread = Object.defineProperty({ ...REFUSED }, 'client', {
      get: () => ({
        get requestId(): string {
          throw new Error('it was read');
        },
      }),
    });
    refusals.note(unread, {});
    expect(reported()).toEqual([]);
  });

  test('contain no secret', () => {
    const { refusals, reported } = openLog();
    const key = unknownKey();
    refusals.note({ ...REFUSED, client: { ...REFUSED.client, requestId: key } }, { why: key });
    expect(JSON.stringify(reported())).not.toContain(key.slice(28, 60));
  });
});

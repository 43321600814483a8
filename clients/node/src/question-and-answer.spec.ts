import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { prepare, type Question, textOf } from './question.js';
import { operationOf, overridden } from './operation.js';
import { createGuard, type Guard } from './guard.js';
import type { FailureEvent } from './hooks.js';
import { secondsRoundedUp, toDate } from './read-answer.js';
import { denied, granted, rateLimit, rateLimited } from './testing/answers.js';
import { ScriptedLatchkey } from './testing/scripted-latchkey.js';

describe('prepare', () => {
  const base = { authorization: ['Bearer k'], method: 'GET' };
  const textIn = (question: Partial<Question>) => textOf(prepare({ ...base, ...question }).credential);

  it('sends the Authorization header as it came', () => {
    expect(textIn({ authorization: ['  bearer\tÿ x '] })).toBe('  bearer\tÿ x ');
  });

  it('sends an empty string for a missing Authorization header', () => {
    expect(textIn({ authorization: [] })).toBe('');
  });

  it('sends an empty string for two Authorization headers, even if one is empty', () => {
    for (const authorization of [
      ['Bearer a', 'Bearer b'],
      ['Bearer a', ''],
      ['', 'Bearer a'],
    ]) {
      expect(textIn({ authorization })).toBe('');
    }
  });

  it('sends a key that was found elsewhere by itself', () => {
    expect(prepare({ ...base, apiKey: 'k\ud800' }).credential).toEqual({ apiKey: 'k\ufffd' });
  });

  it('sends the longest key whole', () => {
    const longest = `Bearer acme_live_${'x'.repeat(502)}`;
    expect(textIn({ authorization: [longest] })).toBe(longest);
  });

  it('cuts a long Authorization header to a length that no key has', () => {
    expect(textIn({ authorization: ['x'.repeat(100_000)] })).toHaveLength(4096);
  });

  it('replaces half a surrogate pair, which gRPC cannot encode', () => {
    const { credential, userAgent } = prepare({ ...base, authorization: ['Bearer \ud800'], userAgent: 'a\udfffb' });
    expect(credential).toEqual({ authorization: 'Bearer \ufffd' });
    expect(userAgent).toBe('ab');
  });

  it('caps the user agent at 256 and the request id at 128 characters, without control characters', () => {
    const { userAgent, requestId } = prepare({
      ...base,
      userAgent: `\u0007a\u009f${'u'.repeat(300)}`,
      requestId: `\r\nid${'r'.repeat(300)}`,
    });
    expect(userAgent).toBe(`a${'u'.repeat(255)}`);
    expect(requestId).toBe(`id${'r'.repeat(126)}`);
  });

  it('does not cut a character in half', () => {
    expect(prepare({ ...base, userAgent: `${'u'.repeat(255)}😀` }).userAgent).toBe('u'.repeat(255));
  });

  it('creates an id for a request without one', () => {
    expect(prepare(base).requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(prepare(base).requestId).not.toBe(prepare(base).requestId);
  });

  it('uses an explicit operation instead of that of the method', () => {
    expect(prepare({ ...base, method: 'POST', operation: 'DESTROY' }).operation).toBe('DESTROY');
    expect(prepare({ ...base, method: 'POST' }).operation).toBe('WRITE');
  });
});

describe('operationOf', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('maps %s to READ', (method) => expect(operationOf(method)).toBe('READ'));

  it.each(['POST', 'PUT', 'PATCH'])('maps %s to WRITE', (method) => expect(operationOf(method)).toBe('WRITE'));

  it.each(['DELETE', 'PROPFIND', 'TRACE', 'PURGE', 'get', '', 'constructor', '__proto__'])(
    'takes %j for DESTROY, which no key may do',
    (method) => expect(operationOf(method)).toBe('DESTROY'),
  );
});

describe('overridden', () => {
  const ours = overridden(operationOf, { REPORT: 'READ', POST: 'READ' });

  it.each([
    ['REPORT', 'READ'],
    ['POST', 'READ'],
    ['PUT', 'WRITE'],
    ['DELETE', 'DESTROY'],
    ['post', 'DESTROY'],
    ['constructor', 'DESTROY'],
  ])('maps %s to %s, and keeps the other methods', (method, operation) => expect(ours(method)).toBe(operation));

  it('can be overridden again', () => {
    expect(overridden(ours, { POST: 'WRITE' })('POST')).toBe('WRITE');
    expect(overridden(ours, { POST: 'WRITE' })('REPORT')).toBe('READ');
  });

  it.each([{ post: 'READ' }, { 'P ST': 'READ' }, { '': 'READ' }, { POST: 'read' }, { POST: undefined }])(
    'refuses %j, which would change nothing',
    (by) => expect(() => overridden(operationOf, by as never)).toThrow(/^operations: /),
  );
});

describe('an answer to the guard', () => {
  // Over the wire, because decoding decides how unknown enum values and absent fields look.
  const latchkey = new ScriptedLatchkey();
  let failures: FailureEvent[];
  let guard: Guard;

  beforeEach(async () => {
    failures = [];
    await latchkey.start();
    guard = createGuard({
      ...latchkey.options,
      serviceToken: 'token',
      onError: (failure) => failures.push(failure),
    });
  });

  afterEach(() => {
    guard.close();
    latchkey.stop();
  });

  const check = () => guard.check({ authorization: ['Bearer k'], method: 'GET' });

  describe('the answer of the service', () => {
    it('becomes a principal and the state of the rate limit if it is a grant', async () => {
      latchkey.answers(granted());
      expect(await check()).toEqual({
        allowed: true,
        principal: {
          keyId: 'key-1',
          ownerId: 'owner-1',
          access: 'read-and-write',
          permissions: ['systems:read', 'systems:write'],
          attributes: { tenant: 'acme' },
          expiresAt: new Date('2030-03-17T17:46:40.250Z'),
        },
        rateLimit: { limit: 100, remaining: 99, resetSeconds: 1, windowSeconds: 5 },
      });
    });

    it('is accepted without another check if it is a grant', async () => {
      latchkey.answers(granted({ access: 'ACCESS_LEVEL_READ_ONLY', permissions: [], expiresAt: { seconds: 1 } }));
      const decision = await guard.check({ authorization: ['Bearer k'], method: 'POST', permission: 'systems:write' });
      expect(decision).toMatchObject({ allowed: true, principal: { access: 'read-only' } });
    });

    it('has the attributes of the account by name, frozen, and no name that the platform did not set', async () => {
      const pairs = [
        { name: 'tenant', value: 'Dvořák & Söhne' },
        { name: 'constructor', value: '' },
        { name: '__proto__', value: 'polluted' },
      ];
      for (const attributes of [pairs, []]) {
        latchkey.answers(granted({ attributes }));
        const decision = await check();
        if (!decision.allowed) throw new Error('not granted');
        const { attributes: read } = decision.principal;
        expect(Object.entries(read)).toEqual(attributes.map(({ name, value }) => [name, value]));
        expect([Object.getPrototypeOf(read), Object.isFrozen(read)]).toEqual([null, true]);
      }
    });

    it.each([
      ['a grant', granted(), { seconds: 30 }, 30],
      ['a denial', rateLimited(0, 1), { seconds: 1, nanos: 1 }, 2],
      ['a grant without one', granted(), null, 5],
    ])(
      'has the window of the account if %s names one, and otherwise that of the service',
      async (_, answer, window, w) => {
        latchkey.answers({ ...answer, rateLimit: { ...answer.rateLimit, window } });
        expect((await check()).rateLimit?.windowSeconds).toBe(w);
      },
    );

    it.each([
      [401, 'REASON_REVOKED', 'REVOKED'],
      [403, 'REASON_READ_ONLY_KEY', 'READ_ONLY_KEY'],
      [403, 'REASON_MISSING_PERMISSION', 'MISSING_PERMISSION'],
    ] as const)('becomes %d if it is a denial, with its reason (%s) for the logs', async (httpStatus, reason, name) => {
      latchkey.answers({ ...denied({ httpStatus, reason }), rateLimit });
      expect(await check()).toMatchObject({ status: httpStatus, reason: name, rateLimit: { remaining: 99 } });
    });

    it.each([
      ['REASON_MISSING_PERMISSION', 'systems:read', 'systems:read'],
      ['REASON_READ_ONLY_KEY', 'systems:write', 'systems:write'],
      ['REASON_READ_ONLY_KEY', 'systems:read', undefined],
      ['REASON_OPERATION_NOT_ALLOWED', 'systems:write', undefined],
      ['REASON_MISSING_PERMISSION', undefined, undefined],
    ] as const)('with the reason %s for the permission %s names %s as missing', async (reason, permission, missing) => {
      latchkey.answers(denied({ httpStatus: 403, reason }));
      const decision = await guard.check({ authorization: ['Bearer k'], method: 'POST', permission });
      expect(decision).toMatchObject({ status: 403, missingPermission: missing, keyId: undefined });
    });

    it('has Retry-After rounded up, to at least a second', async () => {
      latchkey.answers(rateLimited(1, 1));
      expect(await check()).toMatchObject({ status: 429, retryAfterSeconds: 2 });
      latchkey.answers(rateLimited(0, 0));
      expect(await check()).toMatchObject({ status: 429, retryAfterSeconds: 1 });
    });

    it('is a denial if its reason is that of a newer service', async () => {
      latchkey.answers(denied({ httpStatus: 403, reason: 77 as never }));
      expect(await check()).toMatchObject({ status: 403, reason: 'UNKNOWN' });
    });

    it.each(['soon', '0', '-5', '5.5', '5;q=1', undefined])('has no window if the service sends %j', async (window) => {
      latchkey.window = window;
      latchkey.answers(granted());
      expect((await check()).rateLimit).toEqual({
        limit: 100,
        remaining: 99,
        resetSeconds: 1,
        windowSeconds: undefined,
      });
    });

    it.each([
      ['without an outcome', {}],
      ['with only a rate limit', { rateLimit }],
      ['with a denial that gives no reason', denied({ reason: 'REASON_UNSPECIFIED' })],
      ['with a denial that gives no status', denied({ httpStatus: 0 })],
      ['with a denial of status 200', denied({ httpStatus: 200 })],
      ['with a grant without an owner', granted({ ownerId: '' })],
      ['with a grant without a key', granted({ keyId: '' })],
      ['with a grant that never expires', granted({ expiresAt: null })],
      ['with a grant with an invalid expiry', granted({ expiresAt: { seconds: '9000000000000000' } })],
      ['with a grant of unspecified access', granted({ access: 'ACCESS_LEVEL_UNSPECIFIED' })],
      ['with a grant of unknown access', granted({ access: 9 as never })],
    ])('is refused with 503 %s', async (_, answer) => {
      latchkey.answers(answer);
      expect(await check()).toMatchObject({ allowed: false, status: 503, rateLimit: undefined });
      expect(failures).toEqual([expect.objectContaining({ code: 'UNREADABLE_ANSWER' })]);
    });
  });

  describe('secondsRoundedUp', () => {
    it.each([
      ['0', 0, 0],
      ['0', 1, 1],
      ['1', 0, 1],
      ['1', 1, 2],
      ['4', 999_999_999, 5],
      ['-1', -5, 0],
    ])('rounds %s s and %d ns to %d s', (seconds, nanos, expected) => {
      expect(secondsRoundedUp({ seconds, nanos })).toBe(expected);
    });

    it('returns 0 for an absent duration', () => expect(secondsRoundedUp(null)).toBe(0));
  });

  describe('toDate', () => {
    it('keeps the milliseconds', () => {
      expect(toDate({ seconds: '1900000000', nanos: 250_900_000 }).toISOString()).toBe('2030-03-17T17:46:40.250Z');
    });
  });
});

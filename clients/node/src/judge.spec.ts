import { beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import { type Guard, createGuard } from './guard.js';
import type { FailureEvent } from './hooks.js';
import { denied, granted, rateLimit, rateLimited } from './testing/answers.js';
import { ScriptedLatchkey } from './testing/scripted-latchkey.js';

// Over the wire, because decoding decides how unknown enum values and absent fields look.
const latchkey = new ScriptedLatchkey();
let failures: FailureEvent[];
let guard: Guard;

beforeEach(async () => {
  failures = [];
  await latchkey.start();
  guard = createGuard({
    target: latchkey.target,
    serviceToken: 'token',
    deadlineMs: 5000,
    onError: (failure) => failures.push(failure),
  });
});

afterEach(() => {
  guard.close();
  latchkey.stop();
});

const check = () => guard.check({ authorization: ['Bearer k'], method: 'GET' });

describe('the answer to a question', () => {
  it('turns a grant into a principal and the state of the rate limit', async () => {
    latchkey.answers(granted());
    expect(await check()).toEqual({
      allowed: true,
      principal: {
        keyId: 'key-1',
        ownerId: 'owner-1',
        access: 'read-and-write',
        permissions: ['systems:read', 'systems:write'],
        expiresAt: new Date('2030-03-17T17:46:40.250Z'),
      },
      rateLimit: { limit: 100, remaining: 99, resetSeconds: 1, windowSeconds: 5 },
    });
  });

  it('believes a grant: it does not second-guess the service', async () => {
    latchkey.answers(granted({ access: 'ACCESS_LEVEL_READ_ONLY', permissions: [], expiresAt: { seconds: 1 } }));
    const decision = await guard.check({ authorization: ['Bearer k'], method: 'POST', permission: 'systems:write' });
    expect(decision).toMatchObject({ allowed: true, principal: { access: 'read-only' } });
  });

  it.each([
    [401, 'REASON_REVOKED', 'REVOKED'],
    [403, 'REASON_READ_ONLY_KEY', 'READ_ONLY_KEY'],
    [403, 'REASON_MISSING_PERMISSION', 'MISSING_PERMISSION'],
  ] as const)('turns a denial into %d, with its reason (%s) for the logs', async (httpStatus, reason, name) => {
    latchkey.answers({ ...denied({ httpStatus, reason }), rateLimit });
    expect(await check()).toMatchObject({ status: httpStatus, reason: name, rateLimit: { remaining: 99 } });
  });

  it.each([
    ['REASON_MISSING_PERMISSION', 'systems:read', 'systems:read'],
    ['REASON_READ_ONLY_KEY', 'systems:write', 'systems:write'],
    ['REASON_READ_ONLY_KEY', 'systems:read', undefined],
    ['REASON_OPERATION_NOT_ALLOWED', 'systems:write', undefined],
    ['REASON_MISSING_PERMISSION', undefined, undefined],
  ] as const)('says that a key denied for %s, asked for %s, lacks %s', async (reason, permission, missing) => {
    latchkey.answers(denied({ httpStatus: 403, reason }));
    const decision = await guard.check({ authorization: ['Bearer k'], method: 'POST', permission });
    expect(decision).toMatchObject({ status: 403, missingPermission: missing, keyId: undefined });
  });

  it('rounds Retry-After up, and never down to nothing', async () => {
    latchkey.answers(rateLimited(1, 1));
    expect(await check()).toMatchObject({ status: 429, retryAfterSeconds: 2 });
    latchkey.answers(rateLimited(0, 0));
    expect(await check()).toMatchObject({ status: 429, retryAfterSeconds: 1 });
  });

  it('denies for a reason that only a newer service knows', async () => {
    latchkey.answers(denied({ httpStatus: 403, reason: 77 as never }));
    expect(await check()).toMatchObject({ status: 403, reason: 'UNKNOWN' });
  });

  it.each(['soon', '0', '-5', '5.5', '5;q=1', undefined])('leaves out a window of %j', async (window) => {
    latchkey.window = window;
    latchkey.answers(granted());
    expect((await check()).rateLimit).toEqual({ limit: 100, remaining: 99, resetSeconds: 1, windowSeconds: undefined });
  });

  it.each([
    ['without an outcome', {}],
    ['with only a rate limit', { rateLimit }],
    ['with a denial that gives no reason', denied({ reason: 'REASON_UNSPECIFIED' })],
    ['with a denial that gives no status', denied({ httpStatus: 0 })],
    ['with a denial of status 200', denied({ httpStatus: 200 })],
    ['with a grant to nobody', granted({ ownerId: '' })],
    ['with a grant of no key', granted({ keyId: '' })],
    ['with a grant that never expires', granted({ expiresAt: null })],
    ['with a grant that expires at no time', granted({ expiresAt: { seconds: '9000000000000000' } })],
    ['with a grant of unspecified access', granted({ access: 'ACCESS_LEVEL_UNSPECIFIED' })],
    ['with a grant of unknown access', granted({ access: 9 as never })],
  ])('fails closed on an answer %s', async (_, answer) => {
    latchkey.answers(answer);
    expect(await check()).toMatchObject({ allowed: false, status: 503, rateLimit: undefined });
    expect(failures).toEqual([expect.objectContaining({ code: 'UNREADABLE_ANSWER' })]);
  });
});

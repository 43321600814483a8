import { describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import type { RateDecision } from '#domain/rate-limit.js';
import { DENIAL_REASONS, deny } from '#domain/keys/verdict.js';
import { invalidFields, LatchkeyError } from '#domain/errors.js';
import { answerToClient, answerToProxy, UNAVAILABLE } from './key-answers.js';
import { inProtoSpelling, mapError } from './error-table.js';

describe('the answer to a key', () => {
  const rate: RateDecision = {
    admitted: true,
    limit: { perSecond: 20, burst: 100 },
    remaining: 99,
    resetAfterMicros: 50_000,
    retryAfterMicros: 0,
  };
  const RATE_HEADERS = { 'RateLimit-Policy': '"key";q=100;w=5', RateLimit: '"key";r=99;t=1' };
  const grant = {
    granted: true,
    keyId: 'key-1',
    ownerId: 'owner-1',
    access: 'read-only',
    permissions: ['systems:read', 'reports:read'],
    attributes: [
      { name: 'tenant', value: 'acme' },
      { name: 'city', value: 'Köln' },
    ],
    createdAt: new Date(0),
    expiresAt: new Date(1),
  } as const;

  test('a grant has the owner, the key, its access, permissions and attributes, the rate limit and the expiry', () => {
    expect(answerToProxy({ verdict: grant, rate })).toEqual({
      status: 200,
      headers: {
        ...RATE_HEADERS,
        'Latchkey-Key-Expires': '1970-01-01T00:00:00.001Z',
        'Access-Control-Expose-Headers': 'Latchkey-Key-Expires',
        'X-Latchkey-Owner': 'owner-1',
        'X-Latchkey-Key': 'key-1',
        'X-Latchkey-Access': 'read-only',
        'X-Latchkey-Permissions': 'systems:read reports:read',
        'X-Latchkey-Attributes': 'tenant="acme", city=%"K%c3%b6ln"',
      },
      body: undefined,
    });
  });

  test('a client with its own key gets the rate limit and the expiry, but no identity', () => {
    expect(answerToClient({ verdict: grant, rate })).toEqual({
      status: 200,
      headers: { ...RATE_HEADERS, 'Latchkey-Key-Expires': '1970-01-01T00:00:00.001Z' },
      body: undefined,
    });
  });

  test('a refusal does not reveal when the key expires', () => {
    for (const reason of DENIAL_REASONS) {
      expect(answerToProxy({ verdict: deny(reason), rate }).headers).not.toHaveProperty('Latchkey-Key-Expires');
    }
  });

  test('a grant without permissions and attributes has an empty header for each, which replaces the one of a client', () => {
    const { headers } = answerToProxy({ verdict: { ...grant, permissions: [], attributes: [] }, rate });
    expect(headers).toMatchObject({ 'X-Latchkey-Permissions': '', 'X-Latchkey-Attributes': '' });
  });

  test('every 401 looks the same, and so does every 403 for want of permission', () => {
    const refusals = DENIAL_REASONS.map((reason) => ({ reason, ...answerToProxy({ verdict: deny(reason) }) }));
    const answers = (status: number) =>
      refusals
        .filter((refusal) => refusal.status === status && refusal.reason !== 'address-not-allowed')
        .map(({ reason: _reason, ...answer }) => JSON.stringify(answer));
    expect([new Set(answers(401)).size, new Set(answers(403)).size]).toEqual([1, 1]);
    const reasonsOf = (status: number) => refusals.filter((each) => each.status === status).map(({ reason }) => reason);
    expect(reasonsOf(401)).toEqual(['invalid-key', 'revoked', 'expired', 'paused', 'owner-suspended', 'owner-deleted']);
    expect(reasonsOf(429)).toEqual(['rate-limited']);
    expect(answerToProxy({ verdict: deny('revoked') })).toEqual({
      status: 401,
      headers: { 'Content-Type': 'application/json', 'WWW-Authenticate': 'Bearer' },
      body: '{"message":"invalid api key"}',
    });
    expect(answerToProxy({ verdict: deny('read-only-key'), rate })).toEqual({
      status: 403,
      headers: {
        'Content-Type': 'application/json',
        ...RATE_HEADERS,
        'WWW-Authenticate': 'Bearer error="insufficient_scope"',
      },
      body: '{"message":"operation not allowed"}',
    });
  });

  test('a 403 for the wrong address asks for no more scope', () => {
    expect(answerToProxy({ verdict: deny('address-not-allowed') })).toEqual({
      status: 403,
      headers: { 'Content-Type': 'application/json' },
      body: '{"message":"operation not allowed"}',
    });
  });

  test.each(['read-only-key', 'missing-permission'] as const)('a 403 for %s names the missing permission', (reason) => {
    const { headers } = answerToProxy({ verdict: deny(reason, 'systems:write'), rate });
    expect(headers['WWW-Authenticate']).toBe('Bearer error="insufficient_scope", scope="systems:write"');
  });

  test.each([
    [1, '1'],
    [1_000_000, '1'],
    [1_000_001, '2'],
  ])('a wait of %d microseconds is Retry-After: %s', (retryAfterMicros, seconds) => {
    const limited = { ...rate, admitted: false, remaining: 0, retryAfterMicros };
    expect(answerToProxy({ verdict: deny('rate-limited'), rate: limited })).toMatchObject({
      status: 429,
      headers: { 'Retry-After': seconds, RateLimit: '"key";r=0;t=1' },
      body: '{"message":"too many requests"}',
    });
  });

  test('without a store no request gets in, and the answer does not say that the key is invalid', () => {
    expect(UNAVAILABLE).toEqual({
      status: 503,
      headers: { 'Content-Type': 'application/json' },
      body: '{"message":"service unavailable"}',
    });
  });
});

describe('the answer to an error', () => {
  test.each([
    new Error('connect postgres://latchkey:hunter2@db'),
    new TypeError('x is undefined'),
    'hunter2',
    undefined,
  ])('answers a fault of our own without any detail', (fault) => {
    expect(mapError(fault)).toEqual({
      http: 500,
      grpc: status.INTERNAL,
      title: 'Internal error',
      code: 'internal',
      message: 'Something went wrong on our side',
    });
  });

  test('answers an error of a request with its message', () => {
    expect(mapError(new LatchkeyError('not_found', 'There is no such API key'))).toEqual({
      http: 404,
      grpc: status.NOT_FOUND,
      title: 'Not found',
      code: 'not_found',
      message: 'There is no such API key',
    });
  });

  test('spells every field of an error as in the contract', () => {
    const error = invalidFields([
      { field: 'email', message: 'must be an email address' },
      { field: 'displayName', message: 'must be at most 200 characters' },
      { field: 'passwordHash', message: 'must be an argon2id PHC string' },
    ]);
    expect(inProtoSpelling(error)).toMatchObject({
      code: 'invalid_fields',
      message:
        'email must be an email address; display_name must be at most 200 characters; password_hash must be an argon2id PHC string',
      details: { errors: [{ field: 'email' }, { field: 'display_name' }, { field: 'password_hash' }] },
    });
  });

  test.each([new LatchkeyError('not_found', 'There is no such API key'), new Error('boom'), 'boom', undefined])(
    'leaves an error without fields as it is: %p',
    (error) => expect(inProtoSpelling(error)).toBe(error),
  );
});

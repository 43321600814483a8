import { describe, expect, it } from '@jest/globals';
import type { Denied, Granted } from '../decision.js';
import { decisionHeaders, rateLimitHeaders, refusalAnswer } from './http-answer.js';

describe('refusalAnswer', () => {
  const challengeFor = (missingPermission: string | undefined) => {
    const nothing = { retryAfterSeconds: undefined, keyId: undefined, ownerId: undefined, rateLimit: undefined };
    const denied: Denied = { allowed: false, status: 403, reason: 'MISSING_PERMISSION', missingPermission, ...nothing };
    return refusalAnswer(denied).headers['WWW-Authenticate'];
  };

  it('names the missing permission if there is one and a scope can contain it', () => {
    expect(challengeFor('systems:write')).toBe('Bearer error="insufficient_scope", scope="systems:write"');
    for (const none of [undefined, 'a"b:read', 'ä:read']) {
      expect(challengeFor(none)).toBe('Bearer error="insufficient_scope"');
    }
  });
});

describe('rateLimitHeaders', () => {
  const rateLimit = { limit: 100, remaining: 99, resetSeconds: 1 };

  it('has limit, window, remaining requests and reset', () => {
    expect(rateLimitHeaders({ ...rateLimit, windowSeconds: 5 })).toEqual({
      'RateLimit-Policy': '"key";q=100;w=5',
      RateLimit: '"key";r=99;t=1',
    });
  });

  it('has no window if the service does not send it', () => {
    expect(rateLimitHeaders({ ...rateLimit, windowSeconds: undefined })['RateLimit-Policy']).toBe('"key";q=100');
  });

  it('has no fields before the secret is proven', () => expect(rateLimitHeaders(undefined)).toEqual({}));
});

describe('decisionHeaders', () => {
  const identity = { keyId: 'k', ownerId: 'o', access: 'read-only', permissions: [], attributes: {} } as const;
  const principal = { ...identity, expiresAt: new Date(0) };
  const granted: Granted = { allowed: true, principal, rateLimit: undefined };
  const expires = { 'Latchkey-Key-Expires': '1970-01-01T00:00:00.000Z' };

  it.each([
    ['nothing', undefined, 'Latchkey-Key-Expires'],
    ['one name', 'X-Total', 'X-Total, Latchkey-Key-Expires'],
    ['several names', ['X-Total', 'ETag'], 'X-Total, ETag, Latchkey-Key-Expires'],
  ])('has the expiry of the key and exposes it in addition to %s', (_, before, exposed) => {
    expect(decisionHeaders(granted, () => before)).toEqual({ ...expires, 'Access-Control-Expose-Headers': exposed });
  });

  it('has the rate limit and the challenge for a refusal, and nothing of the key', () => {
    const refused: Denied = {
      allowed: false,
      status: 403,
      reason: 'READ_ONLY_KEY',
      missingPermission: undefined,
      retryAfterSeconds: undefined,
      keyId: 'k',
      ownerId: 'o',
      rateLimit: { limit: 1, remaining: 0, resetSeconds: 1, windowSeconds: 1 },
    };
    const names = ['RateLimit-Policy', 'RateLimit', 'Content-Type', 'WWW-Authenticate'];
    expect(Object.keys(decisionHeaders(refused, () => 'X-Total'))).toEqual(names);
  });
});

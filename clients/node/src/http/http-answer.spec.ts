import { describe, expect, it } from '@jest/globals';
import type { Denied } from '../decision.js';
import { rateLimitHeaders, refusalAnswer } from './http-answer.js';

describe('refusalAnswer', () => {
  const challengeFor = (missingPermission: string | undefined) => {
    const nothing = { retryAfterSeconds: undefined, keyId: undefined, ownerId: undefined, rateLimit: undefined };
    const denied: Denied = { allowed: false, status: 403, reason: 'MISSING_PERMISSION', missingPermission, ...nothing };
    return refusalAnswer(denied).headers['WWW-Authenticate'];
  };

  it('names the missing permission, and none where another thing is missing or a scope cannot name it', () => {
    expect(challengeFor('systems:write')).toBe('Bearer error="insufficient_scope", scope="systems:write"');
    for (const none of [undefined, 'a"b:read', 'ä:read']) {
      expect(challengeFor(none)).toBe('Bearer error="insufficient_scope"');
    }
  });
});

describe('rateLimitHeaders', () => {
  const rateLimit = { limit: 100, remaining: 99, resetSeconds: 1 };

  it('says limit, window, remaining requests and reset', () => {
    expect(rateLimitHeaders({ ...rateLimit, windowSeconds: 5 })).toEqual({
      'RateLimit-Policy': '"key";q=100;w=5',
      RateLimit: '"key";r=99;t=1',
    });
  });

  it('leaves the window out when the service does not send it', () => {
    expect(rateLimitHeaders({ ...rateLimit, windowSeconds: undefined })['RateLimit-Policy']).toBe('"key";q=100');
  });

  it('says nothing before the secret is proven', () => expect(rateLimitHeaders(undefined)).toEqual({}));
});

import { describe, expect, it } from '@jest/globals';
import { rateLimitHeaders } from './http-answer.js';

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

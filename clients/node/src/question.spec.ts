import { describe, expect, it } from '@jest/globals';
import { prepare } from './question.js';

const base = { authorization: ['Bearer k'], method: 'GET' };

describe('prepare', () => {
  it('sends the Authorization header as it came', () => {
    expect(prepare({ ...base, authorization: ['  bearer\tÿ x '] }).authorization).toBe('  bearer\tÿ x ');
  });

  it('sends an empty string for a missing Authorization header', () => {
    expect(prepare({ ...base, authorization: [] }).authorization).toBe('');
  });

  it('joins two Authorization headers in a form that no key has, even if one is empty', () => {
    expect(prepare({ ...base, authorization: ['Bearer a', 'Bearer b'] }).authorization).toBe('Bearer a, Bearer b');
    expect(prepare({ ...base, authorization: ['Bearer a', ''] }).authorization).toBe('Bearer a, ');
    expect(prepare({ ...base, authorization: ['', 'Bearer a'] }).authorization).toBe(', Bearer a');
  });

  it('sends the longest key whole', () => {
    const longest = `Bearer acme_live_${'x'.repeat(502)}`;
    expect(prepare({ ...base, authorization: [longest] }).authorization).toBe(longest);
  });

  it('cuts a long Authorization header to a length that no key has', () => {
    expect(prepare({ ...base, authorization: ['x'.repeat(100_000)] }).authorization).toHaveLength(4096);
  });

  it('replaces half a surrogate pair, which gRPC cannot encode', () => {
    const { authorization, userAgent } = prepare({ ...base, authorization: ['Bearer \ud800'], userAgent: 'a\udfffb' });
    expect(authorization).toBe('Bearer \ufffd');
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

import { describe, expect, it } from '@jest/globals';
import { prepare } from './question.js';

const asked = { authorization: ['Bearer k'], method: 'GET' };

describe('prepare', () => {
  it('sends the Authorization header as it came', () => {
    expect(prepare({ ...asked, authorization: ['  bearer\tÿ x '] }).authorization).toBe('  bearer\tÿ x ');
  });

  it('sends an empty text for a missing Authorization header', () => {
    expect(prepare({ ...asked, authorization: [] }).authorization).toBe('');
  });

  it('makes two Authorization headers into what can be no key, even when one of them is empty', () => {
    expect(prepare({ ...asked, authorization: ['Bearer a', 'Bearer b'] }).authorization).toBe('Bearer a, Bearer b');
    expect(prepare({ ...asked, authorization: ['Bearer a', ''] }).authorization).toBe('Bearer a, ');
    expect(prepare({ ...asked, authorization: ['', 'Bearer a'] }).authorization).toBe(', Bearer a');
  });

  it('cuts an endless Authorization header to what is still no key', () => {
    expect(prepare({ ...asked, authorization: ['x'.repeat(100_000)] }).authorization).toHaveLength(4096);
  });

  it('replaces half a surrogate pair, which gRPC cannot carry', () => {
    const { authorization, userAgent } = prepare({ ...asked, authorization: ['Bearer \ud800'], userAgent: 'a\udfffb' });
    expect(authorization).toBe('Bearer \ufffd');
    expect(userAgent).toBe('ab');
  });

  it('caps the user agent at 256 and the request id at 128 characters, without control characters', () => {
    const { userAgent, requestId } = prepare({
      ...asked,
      userAgent: `\u0007a\u009f${'u'.repeat(300)}`,
      requestId: `\r\nid${'r'.repeat(300)}`,
    });
    expect(userAgent).toBe(`a${'u'.repeat(255)}`);
    expect(requestId).toBe(`id${'r'.repeat(126)}`);
  });

  it('does not cut a character in half', () => {
    expect(prepare({ ...asked, userAgent: `${'u'.repeat(255)}😀` }).userAgent).toBe('u'.repeat(255));
  });

  it('gives a request without an id one of its own', () => {
    expect(prepare(asked).requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(prepare(asked).requestId).not.toBe(prepare(asked).requestId);
  });

  it('lets an explicit operation overrule the method', () => {
    expect(prepare({ ...asked, method: 'POST', operation: 'DESTROY' }).operation).toBe('DESTROY');
    expect(prepare({ ...asked, method: 'POST' }).operation).toBe('WRITE');
  });
});

import { describe, expect, it } from '@jest/globals';
import { prepare, type Question, textOf } from './question.js';
import { operationOf, overridden } from './operation.js';

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

import { describe, expect, it } from '@jest/globals';
import { operationOf, overridden } from './operation.js';

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

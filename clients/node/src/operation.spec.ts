import { describe, expect, it } from '@jest/globals';
import { operationOf } from './operation.js';

describe('operationOf', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('takes %s for READ', (method) => expect(operationOf(method)).toBe('READ'));

  it.each(['POST', 'PUT', 'PATCH'])('takes %s for WRITE', (method) => expect(operationOf(method)).toBe('WRITE'));

  it.each(['DELETE', 'PROPFIND', 'TRACE', 'PURGE', 'get', '', 'constructor', '__proto__'])(
    'takes %j for DESTROY, which no key may do',
    (method) => expect(operationOf(method)).toBe('DESTROY'),
  );
});

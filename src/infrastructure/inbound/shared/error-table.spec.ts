import { status } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import { LatchkeyError } from '../../../domain/errors.js';
import { mapError } from './error-table.js';

test.each([new Error('connect postgres://latchkey:hunter2@db'), new TypeError('x is undefined'), 'hunter2', undefined])(
  'answers a fault of our own without any detail',
  (fault) => {
    expect(mapError(fault)).toEqual({
      http: 500,
      grpc: status.INTERNAL,
      title: 'Internal error',
      code: 'internal',
      message: 'Something went wrong on our side',
    });
  },
);

test('answers an error of a request with its message', () => {
  expect(mapError(new LatchkeyError('not_found', 'There is no such API key'))).toEqual({
    http: 404,
    grpc: status.NOT_FOUND,
    title: 'Not found',
    code: 'not_found',
    message: 'There is no such API key',
  });
});

import { status } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import { LatchkeyError } from '../../../domain/errors.js';
import { mapError } from './error-table.js';

test.each([new Error('connect postgres://latchkey:hunter2@db'), new TypeError('x is undefined'), 'hunter2', undefined])(
  'a fault of our own is told as one, and nothing of it',
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

test('an error of a request is answered in its own words', () => {
  expect(mapError(new LatchkeyError('not_found', 'There is no such API key'))).toEqual({
    http: 404,
    grpc: status.NOT_FOUND,
    title: 'Not found',
    code: 'not_found',
    message: 'There is no such API key',
  });
});

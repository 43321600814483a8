import { status } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import { invalidFields, LatchkeyError } from '#domain/errors.js';
import { inProtoSpelling, mapError } from './error-table.js';

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

test('spells every field of an error as in the contract', () => {
  const error = invalidFields([
    { field: 'email', message: 'must be an email address' },
    { field: 'displayName', message: 'must be at most 200 characters' },
    { field: 'passwordHash', message: 'must be an argon2id PHC string' },
  ]);
  expect(inProtoSpelling(error)).toMatchObject({
    code: 'invalid_fields',
    message:
      'email must be an email address; display_name must be at most 200 characters; password_hash must be an argon2id PHC string',
    details: { errors: [{ field: 'email' }, { field: 'display_name' }, { field: 'password_hash' }] },
  });
});

test.each([new LatchkeyError('not_found', 'There is no such API key'), new Error('boom'), 'boom', undefined])(
  'leaves an error without fields as it is: %p',
  (error) => expect(inProtoSpelling(error)).toBe(error),
);

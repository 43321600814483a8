import { expect, test } from '@jest/globals';
import { invalidFields, LatchkeyError } from '../../../domain/errors.js';
import { inProtoSpelling } from './proto-spelling.js';

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

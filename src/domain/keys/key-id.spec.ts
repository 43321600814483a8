import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isKeyId } from './key-id.js';

const ID = '01234567-89ab-cdef-0123-456789abcdef';

describe('isKeyId', () => {
  test.each([ID, randomUUID()])('accepts %j', (id) => expect(isKeyId(id)).toBe(true));

  test.each([
    '',
    ID.toUpperCase(),
    ` ${ID}`,
    `${ID}\n`,
    `${ID}0`,
    `x${ID}`,
    ID.slice(1),
    ID.slice(0, -1),
    ID.replaceAll('-', ''),
    ID.replace('f', 'g'),
    `{${ID}}`,
  ])('refuses %j', (id) => expect(isKeyId(id)).toBe(false));
});

import { describe, expect, test } from '@jest/globals';
import { readBearer, readBearerOrBare } from './bearer.js';

describe('readBearer', () => {
  test.each<[string, string[], string | undefined]>([
    ['the usual form', ['Bearer abc'], 'abc'],
    ['lower case', ['bearer abc'], 'abc'],
    ['mixed case', ['bEaReR abc'], 'abc'],
    ['nothing behind the space', ['Bearer '], ''],
    ['two spaces: the second belongs to the credential', ['Bearer  abc'], ' abc'],
    ['a space at the end belongs to it too', ['Bearer abc '], 'abc '],
    ['words', ['Bearer abc def'], 'abc def'],
    ['no header', [], undefined],
    ['an empty header', [''], undefined],
    ['no space', ['Bearer'], undefined],
    ['a tab', ['Bearer\tabc'], undefined],
    ['a leading space', [' Bearer abc'], undefined],
    ['another scheme', ['Basic abc'], undefined],
    ['a longer scheme', ['Bearers abc'], undefined],
    ['the key alone', ['abc'], undefined],
    ['two headers', ['Bearer abc', 'Bearer def'], undefined],
    ['the same header twice', ['Bearer abc', 'Bearer abc'], undefined],
    ['a second, empty header', ['Bearer abc', ''], undefined],
    ['a non-ASCII look-alike', ['Вearer abc'], undefined],
  ])('reads %s', (_what, headers, credential) => {
    expect(readBearer(headers)).toBe(credential);
  });
});

describe('readBearerOrBare', () => {
  test.each<[string, string[], string | undefined]>([
    ['the usual form', ['Bearer abc'], 'abc'],
    ['the credential alone', ['abc'], 'abc'],
    ['another scheme', ['Basic abc'], undefined],
    ['two in one header', ['abc, def'], undefined],
    ['two headers', ['abc', 'abc'], undefined],
    ['no header', [], undefined],
  ])('reads %s', (_what, headers, credential) => {
    expect(readBearerOrBare(headers)).toBe(credential);
  });
});

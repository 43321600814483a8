import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normalPath } from './normal-path.js';

describe('normalPath', () => {
  test.each([
    ['/', '/'],
    ['/backend/api/systems', '/backend/api/systems'],
    ['/backend/api/systems/', '/backend/api/systems/'],
    ['/v1.0/a-b_c~d/@me:1,2+3=(4)', '/v1.0/a-b_c~d/@me:1,2+3=(4)'],
    ['/names/Gr%C3%B6%C3%9fe%20XL', '/names/Größe XL'],
    ['/a..b/.well-known/...c', '/a..b/.well-known/...c'],
    ['/%2B%26', '/+&'],
  ])('decodes %s', (target, path) => expect(normalPath(target)).toBe(path));

  test.each([
    ['/systems?next=/../admin', '/systems'],
    ['/systems?', '/systems'],
    ['/systems?a?b', '/systems'],
    ['/systems?path=%2e%2e%2f;a=b', '/systems'],
    ['/systems?\u00e4', '/systems'],
  ])('leaves out the query of %s', (target, path) => expect(normalPath(target)).toBe(path));

  test.each([
    ['nothing', ''],
    ['no slash in front', 'systems'],
    ['an asterisk', '*'],
    ['another scheme and host', 'http://evil.example.com/systems'],
    ['a query alone', '?a=b'],
    ['a segment ..', '/public/../admin'],
    ['.. at its end', '/public/..'],
    ['a segment .', '/public/./admin'],
    ['. at its end', '/public/.'],
    ['dots and blanks, which Windows takes for ..', '/public/..%20/admin'],
    ['three dots', '/public/.../admin'],
    ['an empty segment', '/public//admin'],
    ['two slashes in front', '//admin'],
    ['two slashes at its end', '/admin//'],
    ['an encoded dot', '/public/%2e./admin'],
    ['an encoded dot in capitals', '/public/.%2E/admin'],
    ['a dot encoded twice', '/public/%252e%252e/admin'],
    ['a dot in too many bytes', '/public/%c0%ae%c0%ae/admin'],
    ['a dot the way of IIS', '/public/%u002e%u002e/admin'],
    ['full-width dots', '/public/%EF%BC%8E%EF%BC%8E/admin'],
    ['a two-dot leader', '/public/%E2%80%A5/admin'],
    ['an encoded slash', '/public%2fadmin'],
    ['an encoded slash in capitals', '/public%2Fadmin'],
    ['a full-width slash', '/public%EF%BC%8Fadmin'],
    ['a fraction slash', '/public/..%E2%81%84admin'],
    ['a division slash', '/public/..%E2%88%95admin'],
    ['a mathematical diagonal', '/public/..%E2%9F%8Badmin'],
    ['a big solidus', '/public/..%E2%A7%B8admin'],
    ['a line of a box', '/public/..%E2%95%B1admin'],
    ['a fraction, which holds a fraction slash', '/public%E2%85%9Fadmin'],
    ['a set minus, a backslash to Windows', '/public/..%E2%88%96admin'],
    ['a yen sign, a backslash in Shift-JIS', '/public/..%C2%A5admin'],
    ['a full-width yen sign', '/public/..%EF%BF%A5admin'],
    ['a won sign, a backslash in EUC-KR', '/public/..%E2%82%A9admin'],
    ['an Arabic percent sign', '/%D9%AA2e'],
    ['a backslash', '/public\\admin'],
    ['an encoded backslash', '/public/..%5cadmin'],
    ['a full-width percent sign', '/%EF%BC%852e'],
    ['a semicolon', '/public;/../admin'],
    ['a parameter', '/admin;jsessionid=1'],
    ['an encoded semicolon', '/admin%3bx'],
    ['an encoded question mark', '/admin%3fx'],
    ['an encoded fragment', '/admin%23x'],
    ['a fragment', '/public#/admin'],
    ['a fragment behind the query', '/public?a#/admin'],
    ['a NUL', '/admin%00'],
    ['a line break', '/admin%0d%0a'],
    ['a delete', '/admin%7f'],
    ['a C1 control', '/admin%C2%85'],
    ['a line separator', '/admin%E2%80%A8'],
    ['a soft hyphen', '/ad%C2%ADmin'],
    ['a zero-width space between dots', '/public/.%E2%80%8B./admin'],
    ['a zero-width joiner', '/admin%E2%80%8D'],
    ['a right-to-left override', '/%E2%80%AEnimda'],
    ['a word joiner', '/ad%E2%81%A0min'],
    ['a byte order mark', '/%EF%BB%BFadmin'],
    ['a variation selector', '/admin%EF%B8%8F'],
    ['a Hangul filler', '/admin%E3%85%A4'],
    ['a combining grapheme joiner', '/admin%CD%8F'],
    ['an annotation anchor', '/admin%EF%BF%B9'],
    ['a tag', '/admin%F3%A0%81%A1'],
    ['a tab as it is', '/ad\tmin'],
    ['a blank as it is', '/ad min'],
    ['half an escape', '/admin%2'],
    ['an escape that is none', '/admin%zz'],
    ['bytes that are not UTF-8', '/admin%ff'],
    ['UTF-8 as it is', '/gr\u00f6\u00dfe'],
    ['a letter encoded for no reason', '/%61dmin'],
    ['a digit encoded for no reason', '/v%31'],
    ['a hyphen encoded for no reason', '/a%2Db'],
  ])('refuses %s', (_, target) => expect(normalPath(target)).toBeUndefined());

  test('accepts no path that gains a dot segment or a delimiter when it is decoded again or loosely', () => {
    const pieces =
      '/ . .. // ; \\ ? # % %2e %2E %2f %2F %5c %5C %25 %252e %00 %ff %c0%ae %EF%BC%8E %EF%BC%8F %E2%80%A5 %E2%88%95 %E2%81%84 %E2%88%96 %E2%80%8B %C2%AD a é';
    const target = fc
      .array(fc.oneof(fc.constantFrom(...pieces.split(' ')), fc.string({ maxLength: 3 })), { maxLength: 9 })
      .map((parts) => `/${parts.join('')}`);
    let accepted = 0;
    fc.assert(
      fc.property(target, (text) => {
        const path = normalPath(text);
        if (path === undefined) return;
        accepted += 1;
        const decodings = [text.split('?')[0]!, path, loosely(path), loosely(loosely(path))];
        const readings = [...decodings, path.normalize('NFKC'), visible(path), asWindowsReads(path)];
        for (const reading of readings) {
          expect(new URL(reading, 'http://host').pathname.split('/')).toHaveLength(path.split('/').length);
          expect(reading).not.toMatch(/[\\;#?]|\/\/|\/\.{1,2}(\/|$)/);
        }
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });
});

/** Like a careless server: decodes each escape on its own, byte for byte, and leaves invalid escapes as they are. */
function loosely(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Like a file system that ignores invisible characters. */
const visible = (text: string) => text.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, '');

/** Like a program on Windows that reads its arguments in an 8-bit character set. */
const asWindowsReads = (text: string) => text.replace(/[\u2044\u2215]/g, '/').replace(/\u2216/g, '\\');

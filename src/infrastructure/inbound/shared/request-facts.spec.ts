import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyString } from '#domain/keys/key-string.js';
import { clientFacts, readBearer, readBearerOrBare } from './request-facts.js';

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

const NONE = { ip: undefined, userAgent: undefined, requestId: undefined };
const ipOf = (ip: string | undefined) => clientFacts({ ...NONE, ip }).ip;
const userAgentOf = (userAgent: string | undefined) => clientFacts({ ...NONE, userAgent }).userAgent;

describe("a client's address", () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', null],
    [undefined, null],
    ['unknown', null],
    // Azure's gateways add the port.
    ['203.0.113.9:8080', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[::1]', '::1'],
    ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['203.0.113.9:', null],
    ['203.0.113.9:80:80', null],
    ['[]', null],
    ['203.0.113.9, 198.51.100.7', null],
    ['203.0.113.256', null],
    [' 203.0.113.9', null],
    ["'; DROP TABLE audit_events; --", null],
    ['%eth0', null],
  ])('%j is stored as %j', (sent, kept) => expect(ipOf(sent)).toBe(kept));

  test('fits its column', () => {
    const sent = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV6().map((ip) => `${ip}%${'x'.repeat(300)}`),
      fc.string(),
    );
    fc.assert(fc.property(sent, (ip) => (ipOf(ip)?.length ?? 0) <= 45));
  });
});

describe("a client's text", () => {
  test.each([
    ['curl/8.5', 'curl/8.5'],
    ['', null],
    [undefined, null],
    ['\r\n\0', null],
    ['a\r\nX-Injected: b', 'aX-Injected: b'],
    ['a\u2028b\u2029c\u0085d\u007fe', 'abcde'],
    ['lone \ud83d surrogate', 'lone  surrogate'],
    ['🔑', '🔑'],
  ])('%j is stored as %j', (sent, kept) => expect(userAgentOf(sent)).toBe(kept));

  test.each(['lk', 'abc'])('never contains the secret of a key with the prefix %s', (prefix) => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), fc.boolean(), (before, split) => {
        const key = KeyString.generate(prefix);
        const text = split ? key.reveal().replace(/.{20}$/, '\n$&') : key.reveal();
        const kept = userAgentOf(`${before}${text} and more`) ?? '';
        expect(kept).not.toContain(key.reveal().split('.')[1]!.slice(0, 16));
      }),
    );
  });

  test('fits its column and is well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 0, maxLength: 2000 }), (text) => {
        const facts = clientFacts({ ...NONE, userAgent: text, requestId: text });
        for (const [kept, most] of [[facts.userAgent, 256] as const, [facts.requestId, 128] as const]) {
          if (kept === null) continue;
          expect([...kept].length).toBeLessThanOrEqual(most);
          expect(kept).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
        }
      }),
    );
  });

  test('is never cut inside a character', () => {
    expect(userAgentOf('🔑'.repeat(300))).toBe('🔑'.repeat(256));
    expect(userAgentOf(`x${'🔑'.repeat(300)}`)).toBe(`x${'🔑'.repeat(255)}`);
    expect(clientFacts({ ...NONE, requestId: '🔑'.repeat(300) }).requestId).toBe('🔑'.repeat(128));
  });
});

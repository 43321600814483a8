import { hash } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyString } from '#domain/keys/key-string.js';
import type { CertificateRole, ServiceToken } from '#config/service-roles.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { clientFacts, readBearer, readBearerOrBare } from './request-facts.js';
import { type Caller, ServiceIdentity } from './service-identity.js';
import { RareLines } from '#infrastructure/telemetry/rare-lines.js';
import { timeIn } from '#domain/time.js';

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

describe('the log of refused callers', () => {
  const TOKENS: ServiceToken[] = [{ name: 'billing', role: 'accounts', digest: hash('sha256', 'known', 'buffer') }];
  const CERTIFICATES: CertificateRole[] = [{ name: 'gateway', role: 'validator' }];
  const CALLER: Caller = { authorization: [], address: () => '10.1.2.3' };

  function subject(certificates: CertificateRole[] = []) {
    const lines: string[] = [];
    const log = new Log('info', { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
    const identity = new ServiceIdentity(TOKENS, certificates, log);
    const refuse = (caller: Caller) => {
      expect(() => identity.require(['validator'], caller, 'ValidateKey')).toThrow();
    };
    return { refuse, lines };
  }

  test.each<[caller: Caller, certificates: CertificateRole[], line: string]>([
    [CALLER, [], 'a caller at 10.1.2.3 sent no service token to ValidateKey: does it set its token'],
    [
      { ...CALLER, authorization: ['Bearer unknown'] },
      [],
      'a caller at 10.1.2.3 sent an unknown service token to ValidateKey',
    ],
    [
      { ...CALLER, certificate: () => ({ subject: { CN: 'stranger' } }) as PeerCertificate },
      CERTIFICATES,
      'sent an unknown client certificate to ValidateKey: GRPC_TLS',
    ],
    [CALLER, CERTIFICATES, 'does it set its token, or has its certificate ended'],
    [
      { ...CALLER, authorization: ['Bearer known'] },
      [],
      'the service identity "billing" at 10.1.2.3 has the role accounts and may not call ValidateKey',
    ],
    [{ authorization: [] }, [], 'a caller at an unknown address sent no service token'],
  ])('says who was refused and what to check: %#', (caller, certificates, line) => {
    const { refuse, lines } = subject(certificates);
    refuse(caller);
    expect(lines).toEqual([expect.stringContaining(line)]);
  });

  test('warns once a minute about the same address and reason', () => {
    const { refuse, lines } = subject();
    const other = { ...CALLER, address: () => '10.1.2.4' };
    for (const caller of [CALLER, CALLER, other, other]) refuse(caller);
    expect(lines).toHaveLength(2);
  });
});

describe('RareLines', () => {
  function subject() {
    const clock = { nowMs: 0 };
    const lines = new RareLines(() => clock.nowMs);
    const written = (...texts: string[]) => texts.filter((text) => lines.isDue(text));
    return { clock, written };
  }

  test('the same line is written once a minute', () => {
    const { clock, written } = subject();
    expect(written('one', 'one', 'other', 'one')).toEqual(['one', 'other']);
    clock.nowMs = 59_999;
    expect(written('one')).toEqual([]);
    clock.nowMs = 60_000;
    expect(written('one', 'one')).toEqual(['one']);
  });

  test('at most 100 different lines are written a minute, whatever strangers send', () => {
    const { clock, written } = subject();
    const crowd = (from: number) => Array.from({ length: 300 }, (_, n) => `${from}.${n}`);
    expect(written(...crowd(1))).toHaveLength(100);
    clock.nowMs = 60_000;
    expect(written(...crowd(2))).toHaveLength(100);
  });
});

describe('timeIn', () => {
  it.each([
    ['2027-03-29T00:30:00Z', '2027-03-29T00:30:00.000Z'],
    ['2028-02-29T23:59:59.123456+02:00', '2028-02-29T21:59:59.123Z'],
  ])('reads %s', (text, time) => expect(timeIn(text)?.toISOString()).toBe(time));

  it.each(['2027-02-29T00:00:00Z', '2027-13-01T00:00:00Z', '2027-03-29', '2027-03-29 00:30:00+00', '1800000000', ''])(
    'reads no time in %j',
    (text) => expect(timeIn(text)).toBeUndefined(),
  );
});

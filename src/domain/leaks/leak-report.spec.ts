import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS } from '../time.js';
import { KeyString } from '../keys/key-string.js';
import { FINDINGS_OF_SERVICE, keyProofsIn, pauseAfterTurn, REQUESTS_OF_NETWORK, spendBudget } from './leak-report.js';

const START = Date.parse('2026-03-29T00:30:00.000Z');

const A_REQUEST = { budget: REQUESTS_OF_NETWORK, cost: 1 };

/** Whether each request of a sender is admitted. Times are milliseconds after the start. */
function network(budget = REQUESTS_OF_NETWORK) {
  let wholeAt: Date | undefined;
  return (afterMs: number, cost = 1): boolean | number => {
    try {
      wholeAt = spendBudget({ budget, cost }, wholeAt, new Date(START + afterMs));
      return true;
    } catch (error) {
      return (error as { details: { retryAfterSeconds: number } }).details.retryAfterSeconds;
    }
  };
}

describe('spendBudget', () => {
  test('admits 60 requests at once, and returns when the next one is admitted', () => {
    const send = network();
    for (let sent = 0; sent < 60; sent += 1) expect(send(0)).toBe(true);
    expect([send(0), send(1), send(59_000)]).toEqual([60, 60, 1]);
    expect([send(MINUTE_MS), send(MINUTE_MS)]).toEqual([true, 60]);
  });

  test('admits the whole budget again after an hour', () => {
    const send = network();
    for (let sent = 0; sent < 60; sent += 1) send(0);
    for (let sent = 0; sent < 60; sent += 1) expect(send(HOUR_MS)).toBe(true);
    expect(send(HOUR_MS)).toBe(60);
  });

  test('admits 60 requests an hour in the long run', () => {
    const send = network();
    for (let sent = 0; sent < 60; sent += 1) send(0);
    let letIn = 0;
    for (let atMs = 1; atMs <= 10 * HOUR_MS; atMs += 1000) if (send(atMs) === true) letIn += 1;
    expect(letIn).toBe(600 - 1);
  });

  test('charges a service for each found key: ten lists of 2,000 at once, and another one six minutes later', () => {
    const send = network(FINDINGS_OF_SERVICE);
    for (let sent = 0; sent < 10; sent += 1) expect(send(0, 2000)).toBe(true);
    expect([send(0, 2000), send(0, 1)]).toEqual([360, 1]);
    expect([send(6 * MINUTE_MS - 1000, 2000), send(6 * MINUTE_MS, 2000)]).toEqual([1, true]);
    expect(send(6 * MINUTE_MS, 1000)).toBe(180);
  });

  test('throws too_many_attempts', () => {
    const wholeAt = new Date(START + HOUR_MS);
    expect(() => spendBudget(A_REQUEST, wholeAt, new Date(START))).toThrow(
      expect.objectContaining({ code: 'too_many_attempts' }),
    );
  });

  test('makes nobody wait longer than an hour after the clock was set back', () => {
    expect(spendBudget(A_REQUEST, new Date(START + 10 * HOUR_MS), new Date(START + 10 * HOUR_MS)).getTime()).toBe(
      START + 10 * HOUR_MS + MINUTE_MS,
    );
    const setBack = network();
    for (let sent = 0; sent < 60; sent += 1) setBack(10 * HOUR_MS);
    expect(setBack(0)).toBe(60);
  });
});

test('pauses one second after the first turn that failed, twice as long after the next one, and eight at most', () => {
  expect([0, 1, 2, 3, 4, 100].map(pauseAfterTurn)).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
});

describe('keyProofsIn', () => {
  const [one, two] = [KeyString.generate('lk'), KeyString.generate('acme2')];
  const key = one.reveal();
  const proofOf = (keyString: KeyString) => ({ publicPart: keyString.publicPart, digest: keyString.digest() });
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

  test.each([
    ['alone', key],
    ['in a header', `Authorization: Bearer ${key}`],
    ['in JSON', `{"key":"${key}"}`],
    ['after a line break in JSON', `"first\\n${key}"`],
    ['in a URL', `GET /v1/api-keys?api_key=${key}&x=1`],
    ['in an encoded URL', `q%3d${key.replace('.', '%2E')}%20`],
    ['after a name', `my_token_${key}`],
    ['after a long word', `${'x'.repeat(40)}${key}`],
    ['before more of the same letters', `${key}abc`],
    ['twice', `${key} ${key}`],
  ])('finds each key: %s', (_where, text) => {
    expect(keyProofsIn(text)).toEqual([proofOf(one)]);
  });

  test('finds adjacent keys with any markers', () => {
    expect(keyProofsIn(`${key}${two.reveal()}\n${two.reveal()}`)).toEqual([proofOf(one), proofOf(two)]);
  });

  test('finds nothing in a text without the shape of a key', () => {
    expect(keyProofsIn(`${key.slice(0, -1)} ${key.slice(3)} ${key.replace('.', ' ')} ${key.toUpperCase()}`)).toEqual(
      [],
    );
  });

  test('makes a proof that matches no key for a wrong checksum', () => {
    const [proof, ...more] = keyProofsIn(`${wrong} ${wrong}`);
    expect([proof?.publicPart, more]).toEqual([one.publicPart, []]);
    expect(proof?.digest).toHaveLength(32);
    expect(proof?.digest).not.toEqual(one.digest());
  });

  test('keeps nothing of the secret', () => {
    expect(JSON.stringify([...keyProofsIn(`${key} ${wrong}`)])).not.toContain(key.slice(28, 44));
  });
});

describe('keyProofsIn, for imported keys', () => {
  const PREFIXES = ['acme_live_', 'sk|', 'a.b:'];
  const body = 'aB3_-'.repeat(6);
  const [key, other] = [`acme_live_${body}`, `sk|${body}`];
  const proofOf = (text: string) => {
    const digest = createHash('sha256').update(text).digest();
    return { publicPart: digest.toString('hex').slice(0, 24), digest };
  };

  test.each([
    ['alone', key],
    ['in a header', `Authorization: Bearer ${key}`],
    ['in JSON', `{"key":"${key}","more":1}`],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ key }))],
    ['in YAML', `key: '${key}'`],
    ['in an environment', `export KEY=${key};`],
    ['in a URL', `GET /v1/things?api_key=${key}&page=2`],
    ['at the end of a URL', `https://example.com/#key=${key}`],
    ['in a path', `/download/${key}/file`],
    ['at the end of a sentence', `The key is ${key}.`],
    ['in brackets at the end of a sentence', `Somebody has it (${key}).`],
    ['before a comma', `${key}, and nothing else`],
    ['after other characters', `x${key}`],
    ['in markup', `<code>${key}</code>`],
    ['after a line break in JSON', `"first\\n${key}"`],
  ])('finds it: %s', (_where, text) => {
    expect(keyProofsIn(text, PREFIXES)).toContainEqual(proofOf(key));
  });

  test.each(['acme_live_', 'sk|', 'a.b:'])('finds one that begins with %s and has any visible characters', (prefix) => {
    const visible = fc.stringMatching(/^[!-~]{24,480}$/).filter((text) => !/["'<>\\]/.test(text));
    fc.assert(
      fc.property(visible, (rest) => {
        const string = `${prefix}${rest}`;
        for (const text of [string, `Bearer ${string}\n`, `{"key":"${string}"}`]) {
          expect(keyProofsIn(text, PREFIXES)).toContainEqual(proofOf(string));
        }
      }),
    );
  });

  test('finds two in one text, and our own next to them', () => {
    const own = KeyString.generate('lk');
    const proofs = keyProofsIn(`old: ${key}, older: ${other}; new: ${own.reveal()}`, PREFIXES);
    for (const proof of [proofOf(key), proofOf(other), { publicPart: own.publicPart, digest: own.digest() }]) {
      expect(proofs).toContainEqual(proof);
    }
  });

  test.each([',', '&b=', ';', ')('])('finds each of two that stand on both sides of %s', (between) => {
    const [one, two] = [key, `acme_live_${'x'.repeat(30)}`];
    const proofs = keyProofsIn(`?a=${one}${between}${two}`, PREFIXES);
    for (const each of [one, two]) expect(proofs).toContainEqual(proofOf(each));
  });

  test('finds one with characters that a URL encodes, in capitals or small letters', () => {
    const text = `sk|${'a+b/c='.repeat(5)}`;
    const encoded = encodeURIComponent(text);
    for (const each of [encoded, encoded.toLowerCase()]) {
      expect(keyProofsIn(`https://example.com/?key=${each}&page=2`, PREFIXES)).toContainEqual(proofOf(text));
    }
  });

  test('finds the longest, and none that is longer or shorter than a key', () => {
    const ofLength = (length: number) => 'acme_live_'.padEnd(length, 'x');
    for (const length of [24, 512])
      expect(keyProofsIn(ofLength(length), PREFIXES)).toEqual([proofOf(ofLength(length))]);
    for (const length of [23, 513, 5000]) expect(keyProofsIn(ofLength(length), PREFIXES)).toEqual([]);
  });

  test('finds none of another beginning, and none without any prefix', () => {
    expect(keyProofsIn(`other_${body} ACME_LIVE_${body}`, PREFIXES)).toEqual([]);
    expect(keyProofsIn(key)).toEqual([]);
  });

  test('makes a handful of proofs of one string at most, wherever it may end', () => {
    expect(keyProofsIn(`${key}.a,b&c=d#e)f;g`, PREFIXES).length).toBeLessThanOrEqual(4);
  });

  test('keeps nothing of the string', () => {
    expect(JSON.stringify(keyProofsIn(`${key} ${other}`, PREFIXES))).not.toContain(body.slice(0, 10));
  });
});

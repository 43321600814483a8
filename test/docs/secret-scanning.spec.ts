import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { root } from '../../scripts/lib/paths.mjs';
import { KeyString } from '#domain/keys/key-string.js';
import { TOKEN_TYPE } from '#infrastructure/inbound/http/leaks/leaked-tokens.controller.js';
import { snippetOf, textOf } from '../support/reading/pages.js';

const FOLDER = 'docs/secret-scanning';
const PAGE = 'docs/security.md';
const onPage = (language: string) => snippetOf(PAGE, 'Finding leaked keys', language);

interface Gitleaks {
  readonly rules: { id: string; description: string; regex: string; keywords: string[]; entropy: number }[];
}
const { rules } = parse(readFileSync(join(root, FOLDER, 'gitleaks.toml'), 'utf8')) as unknown as Gitleaks;
const rule = rules[0]!;

/** As the page says: the marker is replaced, in the expression and in the keywords. */
const ruleFor = (prefix: string) => ({
  regex: new RegExp(rule.regex.replace(/^lk_/, `${prefix}_`), 'g'),
  keywords: rule.keywords.map((keyword) => keyword.replace(/^lk_/, `${prefix}_`)),
});
const prefixes = fc.oneof(fc.constant('lk'), fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/));

/** Entropy in bits for each character, as gitleaks computes it. */
function entropyOf(text: string): number {
  const counts = [...new Set(text)].map((character) => text.split(character).length - 1);
  return -counts.reduce((sum, count) => sum + (count / text.length) * Math.log2(count / text.length), 0);
}

const SURROUNDINGS: Record<string, (key: string) => string> = {
  'alone on a line': (key) => key,
  YAML: (key) => `env:\n  API_KEY: ${key}\n  OTHER: 1\n`,
  'a .env file': (key) => `LATCHKEY_KEY=${key}\nexport OTHER='x'\n`,
  JSON: (key) => JSON.stringify({ headers: { authorization: `Bearer ${key}` } }),
  'JSON in JSON': (key) => JSON.stringify({ body: JSON.stringify({ key }) }),
  'a URL': (key) => `https://api.example.com/systems?api_key=${encodeURIComponent(key)}&page=2`,
  'an encoded URL': (key) => `/login?next=${encodeURIComponent(`/x?key=${key}`)}`,
  'a curl line': (key) => `curl -H "Authorization: Bearer ${key}" https://api.example.com\\`,
  'an escaped line break': (key) => `"key=${key}\\nnext"`,
  'a diff': (key) => `+const key = \`${key}\`;`,
  'a sentence': (key) => `Please use ${key}. It works (…).`,
};

describe('the rule for secret scanners', () => {
  test.each(Object.entries(SURROUNDINGS))('finds exactly the key in %s', (_, surround) => {
    fc.assert(
      fc.property(prefixes, (prefix) => {
        const key = KeyString.generate(prefix).reveal();
        const text = surround(key);
        const { regex, keywords } = ruleFor(prefix);
        expect(text.match(regex)).toEqual([key]);
        expect(keywords.some((keyword) => text.toLowerCase().includes(keyword))).toBe(true);
        expect(entropyOf(key)).toBeGreaterThan(rule.entropy);
      }),
    );
  });

  test('ignores what is displayed or stored of a key, and strings that are no key', () => {
    const key = KeyString.generate('lk');
    const text = key.reveal();
    const harmless = [
      String(key),
      JSON.stringify({ key }),
      `lk_${key.publicPart}.…`,
      text.slice(0, -1),
      text.toUpperCase(),
      text.replace('.', ' '),
      text.replace('lk_', 'sk_'),
      key.digest().toString('hex'),
    ];
    for (const each of harmless) expect(each).not.toMatch(ruleFor('lk').regex);
    expect(entropyOf(`lk_${'0'.repeat(24)}.${'0'.repeat(64)}`)).toBeLessThan(rule.entropy);
  });

  test('has every field that gitleaks needs, and an expression that Go supports', () => {
    expect(rules).toEqual([
      { id: 'latchkey-api-key', description: expect.any(String), regex: rule.regex, keywords: ['lk_'], entropy: 3 },
    ]);
    // RE2 has neither looks around nor references back.
    expect(rule.regex).not.toMatch(/\(\?[=!<]|\\[1-9]/);
  });

  test('has the id from which GitLab makes the documented token type', () => {
    // GitLab's ScanSecurityReportSecretsWorker: type and value of the identifier, blanks replaced, in small letters.
    expect(`gitleaks_rule_id_${rule.id.replaceAll(' ', '_')}`.toLowerCase()).toBe(TOKEN_TYPE);
    expect(textOf(PAGE)).toContain(`\`${TOKEN_TYPE}\``);
  });

  test('is the expression on the page', () => {
    expect(onPage('regex')).toBe(rule.regex);
  });
});

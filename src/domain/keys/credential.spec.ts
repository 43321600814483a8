import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { root } from '../../../scripts/lib/paths.mjs';
import { type Credential, type CredentialForm, credentialTexts, readCredential } from './credential.js';

interface Case {
  readonly name: string;
  readonly credentials: readonly CredentialForm[];
  readonly headers: readonly (readonly [string, string])[];
  readonly finds: Credential;
  readonly challenge?: string;
}
/** test/conformance tries it at the doors and the guard. */
const { cases } = JSON.parse(readFileSync(`${root}/clients/conformance/credentials.json`, 'utf8')) as { cases: Case[] };

const host = 'api.example.com';
const valuesIn = (headers: Case['headers']) => (name: string) =>
  headers.flatMap(([each, value]) => (each.toLowerCase() === name ? [value.replace('{host}', host)] : []));

test.each(cases.map((each) => [each.name, each] as const))('finds the credential and the challenge: %s', (_, each) => {
  const { credential, challenge } = readCredential(each.credentials, {
    values: valuesIn(each.headers),
    host: () => host,
  });
  expect(credential).toEqual(each.finds);
  if (each.challenge) expect(challenge).toBe(each.challenge);
});

test.each([
  ['https://api.example.com', 'api.example.com:443', true],
  ['https://api.example.com', 'API.example.com', true],
  ['https://api.example.com:8443', 'api.example.com:8443', true],
  ['https://api.example.com:8443', 'api.example.com', false],
  ['http://api.example.com', 'api.example.com:443', false],
  ['https://api.example.com', undefined, false],
  ['https://', '', false],
])('Basic from the origin %s counts at the host %s: %s', (origin, at, counts) => {
  const authorization = `Basic ${Buffer.from('a:key').toString('base64')}`;
  const values = valuesIn([
    ['Origin', origin],
    ['Authorization', authorization],
  ]);
  const { credential } = readCredential(['basic'], { values, host: () => at });
  expect(credential).toEqual(counts ? { apiKey: 'key' } : { authorization: '' });
});

test('shows every text in which a key may stand, even of a request with several credentials', () => {
  const basic = `Basic ${Buffer.from('a:two').toString('base64')}`;
  const values = valuesIn([
    ['Authorization', 'Bearer one'],
    ['authorization', basic],
    ['X-API-Key', 'three'],
  ]);
  expect(credentialTexts(['bearer'], { values })).toEqual(['Bearer one', basic]);
  expect(credentialTexts(['basic', 'x-api-key'], { values })).toEqual(['Bearer one', basic, 'three', 'two']);
  expect(credentialTexts(['x-api-key'], { values })).toEqual(['three']);
});

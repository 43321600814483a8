import { expect, test } from '@jest/globals';
import { unknownKey } from '../support/callers/key-strings.js';
import { bothKinds, inTable } from './both-kinds.js';
import { type GuardedBackend, SYSTEMS } from './guarded-backend.js';
import { OVERRIDES } from './overrides.js';
import { SPOOFED } from './ways-around.js';

/** The guarantees of a recipe with which the backend itself checks credentials that are not keys. */
export function userTokenGuarantees(door: () => GuardedBackend, someKey: () => string): void {
  test('Latchkey validates keys, and the backend checks the tokens of users', async () => {
    const table = await bothKinds(door().users, await door().newOwner());
    for (const [what, headers, ...expected] of table) {
      const answers = [];
      for (const method of ['GET', 'POST']) {
        const answer = await door().send(undefined, `${method} ${SYSTEMS}`, [...headers]);
        const { status, body, seen } = answer;
        answers.push(inTable(status, body, answer.headers.get('latchkey-key-expires')));
        expect(JSON.stringify(seen?.headers) ?? '').not.toMatch(/somebody-else|Bearer lk_/);
      }
      expect([what, ...answers]).toEqual([what, ...expected]);
    }
  });

  test("a user's request is passed on unchanged, without the identity that it claims", async () => {
    const authorization = `Bearer ${await door().users.token()}`;
    const sent = [`Authorization: ${authorization}`, ...SPOOFED, ...OVERRIDES.map((name) => `${name}: an override`)];
    const { status, seen } = await door().send(undefined, `PUT ${SYSTEMS}/7?page=2`, [...sent, 'X-Own: kept'], 'text');
    expect([status, seen]).toMatchObject([
      200,
      { method: 'PUT', url: `${SYSTEMS}/7?page=2`, body: 'text', headers: { authorization, 'x-own': 'kept' } },
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/x.latchkey|x-forwarded-uri|x-forwarded-method|an override|x-original/i);
  });

  test('a request with a key and a token in two headers is refused', async () => {
    const token = `Authorization: Bearer ${await door().users.token()}`;
    for (const key of [someKey(), unknownKey()]) {
      const both = [token, `Authorization: Bearer ${key}`];
      for (const headers of [both, [...both].reverse()]) {
        const { status, seen } = await door().send(undefined, `GET ${SYSTEMS}`, headers);
        expect([400, 401]).toContain(status);
        expect(seen).toBeUndefined();
      }
    }
  });
}

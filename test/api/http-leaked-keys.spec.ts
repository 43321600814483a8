import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { keyProofsIn } from '#domain/leaks/leak-report.js';
import { MAX_TOKENS, TOKEN_TYPE } from '#infrastructure/inbound/http/leaks/leaked-tokens.controller.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { eventually } from '../support/eventually.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

let service: Service;
let owner: Owner;
beforeAll(async () => {
  service = await startService({ TRUSTED_PROXIES: 'loopback' });
  owner = await newOwner(service);
});
afterAll(() => service.stop());

let networks = 0;
const newNetwork = () => `198.51.${(networks += 1) >> 8}.${networks & 255}`;
const newKey = async () => (await newOwner(service)).person.newKey();
const wrongChecksum = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
const isGood = async (fullKey: string) => (await service.clients.validate(fullKey)).outcome === 'grant';
const hasEnded = (fullKey: string) => eventually(async () => !(await isGood(fullKey)));
const waiting = async () => (await sql(service.databaseUrl, 'SELECT 1 FROM leak_reports')).length;
const eventOf = async ({ person }: Owner, reason: string) =>
  eventually(async () => (await person.events()).items.find((event) => event.reason === reason));

describe('POST /v1/leaked-keys', () => {
  const report = (body: unknown, ip = newNetwork()) =>
    service.person().call('POST', '/v1/leaked-keys', body, { 'x-forwarded-for': ip, 'user-agent': 'scanner/1' });

  test('revokes a key for a report with its key string, and shows the source to its owner', async () => {
    const { apiKey, fullKey } = await owner.person.newKey();
    const ip = newNetwork();
    const body = { keys: [`TOKEN=${fullKey};`], source: 'a scanner', url: `https://git.example/x?key=${fullKey}` };
    expect(await report(body, ip)).toMatchObject({ status: 202, body: undefined });
    await hasEnded(fullKey);
    expect(await eventOf(owner, 'leaked')).toMatchObject({
      type: 'api_key.revoked',
      keyId: apiKey.id,
      clientIp: ip,
      userAgent: 'scanner/1',
      leak: { source: 'a scanner', url: `https://git.example/x?key=${fullKey.slice(0, 28)}…` },
    });
    const listed = (await owner.person.list()).items.find(({ id }) => id === apiKey.id)!;
    const url = `https://git.example/x?key=${fullKey.slice(0, 28)}…`;
    expect([listed.revokedReason, listed.leak]).toEqual(['leaked', { source: 'a scanner', url }]);
  });

  test('takes a hundred lines of a log, and says how long a text and a report may be', async () => {
    const { fullKey } = await owner.person.newKey();
    const line = (key: string) => `${'x'.repeat(2048 - key.length - 1)} ${key}`;
    const lines = [...Array.from({ length: 99 }, () => line(unknownKey())), line(fullKey)];
    expect((await report({ keys: lines })).status).toBe(202);
    await hasEnded(fullKey);
    expect((await report({ keys: [`x${line(fullKey)}`] })).body.errors).toEqual([
      { field: 'keys', message: 'must contain only texts of up to 2048 characters' },
    ]);
    const tooLarge = await report({ keys: ['x'.repeat(300_000)] });
    expect([tooLarge.status, tooLarge.body.detail]).toEqual([413, 'The body is too large: at most 256 kB are read']);
  });

  test('answers the same for good, unknown, revoked, expired, wrong and malformed keys', async () => {
    const [good, revoked, expired] = [await newKey(), await newKey(), await newKey()];
    await sql(service.databaseUrl, `UPDATE api_keys SET expires_at = now() WHERE id = $1`, [expired.apiKey.id]);
    await report({ keys: [revoked.fullKey] });
    await hasEnded(revoked.fullKey);
    const keys = [good, revoked, expired].map(({ fullKey }) => fullKey);
    const others = [unknownKey(), withWrongSecret(keys[0]!), wrongChecksum(keys[0]!), 'hello', ''];
    const answers = await Promise.all(
      [...keys, ...others].map(async (key) => {
        const { status, body, headers } = await report({ keys: [key] });
        const sent = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
        return JSON.stringify([status, body, sent]);
      }),
    );
    expect(new Set(answers).size).toBe(1);
    await eventually(async () => (await waiting()) === 0);
  });

  test('stores no secret of a reported key, and deletes the report once it is processed', async () => {
    const { fullKey } = await newKey();
    const [{ publicPart, digest }] = keyProofsIn(fullKey) as [ReturnType<typeof keyProofsIn>[0]];
    const account = `SELECT owner_id FROM api_keys WHERE public_part = $1`;
    const [{ owner_id: ownerId }] = (await sql(service.databaseUrl, account, [publicPart])) as [{ owner_id: string }];
    // The job that works on the report waits for the account, so the report is still there.
    const lock = await holdAccount(ownerId);
    await report({ keys: [fullKey], url: `https://git.example/?${fullKey}` });
    const stored = await sql(service.databaseUrl, 'SELECT * FROM leak_reports');
    await lock.release();
    expect(stored).toMatchObject([{ public_parts: [publicPart], digests: [digest], actor_id: null, source: null }]);
    expect(JSON.stringify(stored)).not.toContain(fullKey.slice(28, 44));
    await hasEnded(fullKey);
    await eventually(async () => (await waiting()) === 0);
  });

  test('does not revoke a key for a public part without its secret, and records the report', async () => {
    const named = await newOwner(service);
    const { apiKey, fullKey } = await named.person.newKey();
    await report({ keys: [withWrongSecret(fullKey), fullKey.slice(0, 27)] });
    expect(await eventOf(named, 'unproven-report')).toMatchObject({
      type: 'authentication.failed',
      keyId: apiKey.id,
      count: 1,
      leak: null,
    });
    expect(await isGood(fullKey)).toBe(true);
  });

  test('accepts 60 requests an hour from a network, and answers more with 429 and Retry-After', async () => {
    const network = (host: number) => report({ keys: ['hello'] }, `2001:db8::${host}`);
    const begunAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 63 }, (_, host) => network(host)));
    const seconds = (performance.now() - begunAt) / 1000;
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(3);
    for (const { status, headers, body } of refused) {
      expect([status, body.code]).toEqual([429, 'too_many_attempts']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(60 - seconds);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect((await report({ keys: ['hello'] }, '2001:db8:0:1::1')).status).toBe(202);
    const count = `SELECT sum(count)::integer AS count FROM audit_events WHERE reason = 'too-many-reports'`;
    expect(await sql(service.databaseUrl, count)).toEqual([{ count: 3 }]);
  });

  test.each([
    [{}, 'keys', 'is missing'],
    [{ keys: [] }, 'keys', 'must be 1 to 100 texts'],
    [{ keys: 'lk_' }, 'keys', 'must be 1 to 100 texts'],
    [{ keys: Array.from({ length: 101 }, () => 'x') }, 'keys', 'must be 1 to 100 texts'],
    [{ keys: ['x', 7] }, 'keys', 'must contain only texts of up to 2048 characters'],
    [{ keys: ['x'], source: '' }, 'source', 'must be 1 to 200 characters'],
    [{ keys: ['x'], source: 'a\nb' }, 'source', 'must not contain control characters'],
    [{ keys: ['x'], source: null }, 'source', 'must be text'],
    [{ keys: ['x'], url: 'x'.repeat(2049) }, 'url', 'must be 1 to 2048 characters'],
    [{ keys: ['x'], url: 'https://x/\u0000' }, 'url', 'must not contain control characters'],
    [{ keys: ['x'], token: 'y' }, 'token', 'is not a known field'],
  ])('answers 400 with the field named for %j', async (body, field, message) => {
    const answer = await report(body);
    expect([answer.status, answer.body.errors]).toEqual([400, [{ field, message }]]);
  });

  /** Locks the account like a change of it, until the lock is released. */
  async function holdAccount(id: string) {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id]);
    return { release: () => client.end() };
  }
});

describe("GitLab's Token Revocation API", () => {
  const REPORTER = 'dev-reporter-token';
  const asGitLab = { authorization: REPORTER, 'content-type': 'application/json' };
  const gitlab = (method: string, path: string, body?: unknown, headers: Record<string, string> = asGitLab) =>
    service.person().call(method, path, body, headers);
  const revoke = (body: unknown, headers?: Record<string, string>) =>
    gitlab('POST', '/v1/revoke_tokens', body, headers);

  test('lists the token types that it accepts, in the documented form', async () => {
    const answer = await gitlab('GET', '/v1/revocable_token_types');
    expect([answer.status, answer.body]).toEqual([200, { types: [TOKEN_TYPE] }]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  test('accepts the request of the documentation, and revokes the keys', async () => {
    const leaker = await newOwner(service);
    const [one, other] = [await leaker.person.newKey(), await leaker.person.newKey()];
    const body = `[{
    "type": "${TOKEN_TYPE}",
    "token": "${one.fullKey}",
    "location": "https://example.com/some-repo/blob/abcdefghijklmnop/compromisedfile1.java"
},
{
    "type": "${TOKEN_TYPE}",
    "token": "${other.fullKey}",
    "location": "https://example.com/some-repo/blob/abcdefghijklmnop/compromisedfile2.java"
}]`;
    const headers = [
      'Content-Type: application/json',
      `Authorization: ${REPORTER}`,
      'Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
      'Accept: */*',
      'User-Agent: Ruby',
      `Content-Length: ${body.length}`,
    ];
    const { status, body: answered } = await rawRequest(service, 'POST /v1/revoke_tokens', headers, body);
    expect([status, answered]).toEqual([204, '']);
    await hasEnded(one.fullKey);
    await hasEnded(other.fullKey);
    const { items } = await leaker.person.events('?type=api_key.revoked');
    const place = (file: number) => `https://example.com/some-repo/blob/abcdefghijklmnop/compromisedfile${file}.java`;
    // Reports are worked on at the same time, so either key may end first.
    const endOf = (keyId: string, file: number) =>
      expect.objectContaining({ keyId, reason: 'leaked', leak: { source: 'gitlab', url: place(file) } });
    expect(items).toHaveLength(2);
    expect(items).toEqual(expect.arrayContaining([endOf(one.apiKey.id, 1), endOf(other.apiKey.id, 2)]));
    const actors = `SELECT DISTINCT actor_id AS actor FROM audit_events WHERE key_id = ANY($1) AND reason = 'leaked'`;
    expect(await sql(service.databaseUrl, actors, [[one.apiKey.id, other.apiKey.id]])).toEqual([
      { actor: 'service:dev-reporter' },
    ]);
  });

  test('tolerates unknown fields, no location and a repeated report', async () => {
    const { fullKey } = await newKey();
    const token = { type: TOKEN_TYPE, token: fullKey, location: null, vulnerability: { id: 7 }, more: [] };
    expect((await revoke([token, { type: TOKEN_TYPE, token: 'glpat-x' }])).status).toBe(204);
    await hasEnded(fullKey);
    expect((await revoke([token])).status).toBe(204);
    expect((await revoke([])).status).toBe(204);
  });

  test('accepts the service token with a scheme, too', async () => {
    const bearer = { authorization: `bearer ${REPORTER}` };
    expect((await gitlab('GET', '/v1/revocable_token_types', undefined, bearer)).status).toBe(200);
    expect((await revoke([], bearer)).status).toBe(204);
  });

  test('accepts a thousand tokens at once, as a first scan may find', async () => {
    const { fullKey } = await newKey();
    const found = Array.from({ length: 1000 }, (_, line) => ({
      type: TOKEN_TYPE,
      token: line === 999 ? fullKey : unknownKey(),
      location: `https://git.example/some-group/some-repo/-/blob/0123456789abcdef0123456789abcdef01234567/file.ts#L${line}`,
    }));
    expect((await revoke(found)).status).toBe(204);
    await hasEnded(fullKey);
    await eventually(async () => (await waiting()) === 0);
  });

  test('accepts 2,000 entries of one place, and refuses a longer list in words without storing any of it', async () => {
    const { fullKey } = await newKey();
    const location = 'https://git.example/some-group/some-repo/-/blob/main/keys.txt';
    const token = { type: TOKEN_TYPE, token: 'x', location };
    const longest = [...Array.from({ length: MAX_TOKENS - 1 }, () => token), { ...token, token: fullKey }];
    const refused = await revoke([...longest, token]);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      413,
      'payload_too_large',
      'The list has 2001 entries, and at most 2000 are accepted: send it in parts',
    ]);
    expect([await waiting(), await isGood(fullKey)]).toEqual([0, true]);
    expect((await revoke(longest)).status).toBe(204);
    await hasEnded(fullKey);
  });

  test('answers 429 with Retry-After once a service has sent 20,000 entries, and records it', async () => {
    const lists = await startService();
    const list = Array.from({ length: MAX_TOKENS }, () => ({ type: TOKEN_TYPE, token: 'x' }));
    const send = () => lists.person().call('POST', '/v1/revoke_tokens', list, asGitLab);
    const answers = await Promise.all(Array.from({ length: 11 }, send));
    const refused = answers.filter(({ status }) => status !== 204);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([[429, 'too_many_attempts']]);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(1);
    const count = `SELECT sum(count)::integer AS count FROM audit_events WHERE reason = 'too-many-reports'`;
    expect(await sql(lists.databaseUrl, count)).toEqual([{ count: 1 }]);
    await lists.stop();
  });

  test.each([
    ['no token', {}],
    ['an unknown one', { authorization: 'Bearer who-is-this' }],
    ['one of another role', { authorization: 'dev-validator-token' }],
    ['the right one twice', { authorization: `${REPORTER}, ${REPORTER}` }],
    ['the right one as Basic', { authorization: `Basic ${REPORTER}` }],
    ['the right one and more', { authorization: `${REPORTER} x` }],
  ])('answers 401 for %s, with any body', async (_, headers) => {
    const authorization: Record<string, string> = headers;
    const answers = [
      await gitlab('GET', '/v1/revocable_token_types', undefined, authorization),
      await revoke([{ type: TOKEN_TYPE, token: 'x' }], authorization),
      await revoke('not json', { ...authorization, 'content-type': 'application/json' }),
    ];
    for (const { status, body, headers: sent } of answers) {
      expect([status, body.code, sent.get('www-authenticate')]).toEqual([401, 'unauthenticated', 'Bearer']);
      expect(JSON.stringify(body)).not.toMatch(/dev-|who-is/);
    }
  });

  test('answers 401 for two Authorization headers, even if both are good', async () => {
    const twice = [`Authorization: ${REPORTER}`, `Authorization: ${REPORTER}`];
    expect((await rawRequest(service, 'GET /v1/revocable_token_types', twice)).status).toBe(401);
  });

  test.each([
    [{ type: TOKEN_TYPE, token: 'x' }, 'The body must be a JSON array'],
    [[7], `0.type must be ${TOKEN_TYPE}; 0.token must be text of at most 512 characters`],
    [[null], `0.type must be ${TOKEN_TYPE}; 0.token must be text of at most 512 characters`],
    [
      [
        { type: TOKEN_TYPE, token: 'x' },
        { type: 'gitleaks_rule_id_aws', token: 'x' },
      ],
      `1.type must be ${TOKEN_TYPE}`,
    ],
    [[{ type: TOKEN_TYPE }], '0.token must be text of at most 512 characters'],
    [[{ type: TOKEN_TYPE, token: 'x'.repeat(513) }], '0.token must be text of at most 512 characters'],
  ])('answers 400 for %j', async (body, detail) => {
    const answer = await revoke(body);
    expect([answer.status, answer.body.detail]).toEqual([400, detail]);
  });
});

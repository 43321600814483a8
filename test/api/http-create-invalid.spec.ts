import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import type { Answer } from '../support/callers/person.js';
import { startServiceHere, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

/** As text, because objects cannot hold every name. */
const ORDER = `"name":"CI","access":"read-only","expiresInDays":1,"password":${JSON.stringify(PASSWORD)}`;

describe('an invalid creation of a key', () => {
  let service: Service;
  let owner: Owner;
  let before: string;
  beforeAll(async () => {
    service = await startServiceHere();
    owner = await newOwner(service);
    // The owner's account and session are on the audit trail by now.
    const [newest] = await sql<{ id: string }>(service.databaseUrl, 'SELECT max(id) AS id FROM audit_events');
    before = newest!.id;
  });
  afterAll(() => service.stop());

  /** No key, no event and no counted guess: the request was refused before anything else. */
  afterEach(async () => {
    const [left] = await sql(
      service.databaseUrl,
      `SELECT (SELECT count(*) FROM api_keys)::int AS keys, (SELECT count(*) FROM audit_events WHERE id > $1)::int AS events,
        (SELECT sum(failures) FROM password_guesses)::int AS guesses`,
      [before],
    );
    expect(left).toEqual({ keys: 0, events: 0, guesses: 0 });
  });

  const fields = ({ body }: Answer) => body.errors?.map(({ field }: { field: string }) => field);
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    owner.person.call('POST', '/v1/api-keys', body, headers);
  const sendBytes = async (body: string | Buffer, headers: Record<string, string>) => {
    const response = await fetch(`${service.url}/v1/api-keys`, {
      method: 'POST',
      headers: { cookie: owner.person.cookie, ...headers },
      body,
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  test.each([
    ['name', 'missing', undefined],
    ['name', 'null', null],
    ['name', 'empty', ''],
    ['name', 'blank', ' \u00a0\u2003 '],
    ['name', '65 characters', 'x'.repeat(65)],
    ['name', '65 characters outside the BMP', '🔑'.repeat(65)],
    ['name', 'with a newline', 'a\nb'],
    ['name', 'ending in a newline', 'a\n'],
    ['name', 'with a NUL', 'a\u0000b'],
    ['name', 'with an escape', 'a\u001b[31m'],
    ['name', 'with DEL', 'a\u007f'],
    ['name', 'with a C1 control', 'a\u0085b'],
    ['name', 'with a line separator', 'a\u2028b'],
    ['name', 'with half a surrogate pair', 'a\ud800'],
    ['name', 'a number', 5],
    ['name', 'a list', ['CI']],
    ['name', 'an object', { toString: 'CI' }],
    ['access', 'missing', undefined],
    ['access', 'null', null],
    ['access', 'unknown', 'admin'],
    ['access', 'in another case', 'Read-Only'],
    ['access', 'a list', ['read-only']],
    ['access', 'a name every object has', 'constructor'],
    ['expiresInDays', '0', 0],
    ['expiresInDays', '366', 366],
    ['expiresInDays', '1.5', 1.5],
    ['expiresInDays', 'text', '90'],
    ['expiresInDays', 'the text NaN', 'NaN'],
    ['expiresInDays', 'null', null],
    ['expiresInDays', '-1', -1],
    ['expiresInDays', '1e9', 1e9],
    ['expiresInDays', 'a list', [90]],
    ['expiresInDays', 'true', true],
    ['password', 'missing', undefined],
    ['password', 'null', null],
    ['password', 'empty', ''],
    ['password', 'a number', 12345678],
    ['password', 'a list', [PASSWORD]],
    ['password', 'too long', 'x'.repeat(1025)],
  ])('with %s %s is answered 400 with the field named', async (field, _, value) => {
    const answer = await owner.person.create({ [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toEqual({
      type: 'urn:latchkey:problem:invalid-fields',
      title: 'Invalid fields',
      status: 400,
      detail: expect.stringContaining(field),
      code: 'invalid_fields',
      errors: [{ field, message: expect.stringMatching(/^(must|is) /) }],
    });
  });

  test.each([
    'ownerId',
    'status',
    'id',
    'revokedAt',
    'permissions',
    'Name',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    '',
  ])('with the unknown field "%s" is answered 400 with the field named', async (field) => {
    const answer = await send(`{${ORDER},${JSON.stringify(field)}:{"status":"active"}}`);
    expect({ status: answer.status, fields: fields(answer) }).toEqual({ status: 400, fields: [field] });
  });

  test('does not repeat the secret of an API key that is the name of a field', async () => {
    const answer = await send(`{${ORDER},"${unknownKey()}":1}`);
    expect({ status: answer.status, fields: fields(answer) }).toEqual({
      status: 400,
      fields: [expect.stringMatching(/^lk_[0-9a-f]{24}\.…$/)],
    });
  });

  test('is answered with all errors at once, and without the sent values', async () => {
    const answer = await send({
      name: 'a\nb',
      access: 'root',
      expiresInDays: 0,
      password: ['hunter2'],
      admin: 'hunter3',
    });
    expect(answer.status).toBe(400);
    expect(fields(answer).sort()).toEqual(['access', 'admin', 'expiresInDays', 'name', 'password']);
    expect(JSON.stringify(answer.body)).not.toMatch(/hunter|root/);
  });

  test.each([
    ['cut short', `{${ORDER}`],
    ['with NaN', `{"name":"CI","access":"read-only","expiresInDays":NaN,"password":"x"}`],
    ['not JSON', 'name=CI'],
    ['with a comment', `{${ORDER}} // please`],
    ['a list', `[{${ORDER}}]`],
    ['text', '"name"'],
    ['null', 'null'],
    ['a number', '1'],
  ])('with a body that is %s is answered 400', async (_, body) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(JSON.stringify(answer.body)).not.toContain('CI');
  });

  test('without a body, or with an empty one, is answered 400', async () => {
    expect((await owner.person.call('POST', '/v1/api-keys')).status).toBe(400);
    expect((await send('')).status).toBe(400);
  });

  test.each([
    ['as the body', (nest: string) => nest, 'invalid_request'],
    ['as a field', (nest: string) => `{"password":"x","access":"read-only","name":${nest}}`, 'invalid_fields'],
    ['as an unknown field', (nest: string) => `{${ORDER},"x":${nest}}`, 'invalid_fields'],
  ])('with lists nested thousands deep %s is answered 400', async (_, place, code) => {
    const answer = await send(place('['.repeat(8000) + ']'.repeat(8000)));
    expect(answer).toMatchObject({ status: 400, body: { code } });
  });

  test('with objects nested thousands deep is answered 400', async () => {
    const answer = await send(`{${ORDER},"x":${'{"a":'.repeat(2500)}1${'}'.repeat(2500)}}`);
    expect({ status: answer.status, fields: fields(answer) }).toEqual({ status: 400, fields: ['x'] });
  });

  test('with a body of 1 MB is answered 413', async () => {
    const answer = await send({ name: 'x'.repeat(1024 * 1024) });
    expect(answer).toMatchObject({ status: 413, body: { status: 413, code: 'payload_too_large' } });
  });

  test('with a compressed body is answered 413 by the decompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
    const before = process.memoryUsage.rss();
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect(await sendBytes(bomb.subarray(0, 14_000), headers)).toMatchObject({ status: 413 });
    expect(await sendBytes(bomb, headers)).toMatchObject({ status: 413 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(120 * 1024 * 1024);
  });

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonp'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=utf-16le'],
    ['application/json; charset=latin1'],
    ['text/json'],
  ])('with a body of type %s is answered 415', async (type) => {
    const text = `{${ORDER}}`;
    const body = type.includes('utf-16') ? Buffer.from(text, 'utf16le') : Buffer.from(text);
    const answer = await sendBytes(body, { 'content-type': type });
    expect(answer).toMatchObject({ status: 415, body: { status: 415, code: 'unsupported_media_type' } });
  });

  test('with bytes that are not UTF-8 is answered 400, and nothing is stored or counted', async () => {
    const inLatin1 = (text: string) => sendBytes(Buffer.from(text, 'latin1'), { 'content-type': 'application/json' });
    for (const text of [`{${ORDER},"note":"café"}`, '{"name":"café"}', `{${ORDER}}`.replace(PASSWORD, 'pässword')]) {
      expect(await inLatin1(text)).toMatchObject({
        status: 400,
        body: { detail: 'The body is not valid UTF-8: send it in this encoding, not in Latin-1' },
      });
    }
    expect((await owner.person.events()).items.filter(({ type }) => type === 'authentication.failed')).toEqual([]);
  });

  test('with a body without a type is answered 415', async () => {
    const response = await fetch(`${service.url}/v1/api-keys`, {
      method: 'POST',
      headers: { cookie: owner.person.cookie },
      body: new Blob([`{${ORDER}}`]),
    });
    expect(response.status).toBe(415);
  });

  test('with an unknown content encoding is answered 415', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zip' };
    expect((await sendBytes(`{${ORDER}}`, headers)).status).toBe(415);
  });

  test('with a body that does not match its encoding is answered 400', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await sendBytes(`{${ORDER}}`, headers)).status).toBe(400);
  });
});

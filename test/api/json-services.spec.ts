import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { PROTO_SERVICES } from './proto-services.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { snippetOf } from '../support/reading/pages.js';
import { PrintedLog } from '../support/reading/printed-log.js';
import { startServiceHere, type Service } from '../support/processes/service.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { SlowLine } from '../support/stores/slow-line.js';
import { sql } from '../support/stores/sql.js';

const VALIDATE = '/latchkey.v1.ApiKeyService/ValidateKey';
const unary = Object.values(PROTO_SERVICES)
  .flatMap((service) => Object.values(service))
  .filter(({ path, requestStream }) => path.startsWith('/latchkey.v1.') && !requestStream)
  .map(({ path }) => path);
const JSON_TYPE = { 'content-type': 'application/json' };
const VALIDATOR = { authorization: 'Bearer dev-validator-token' };

const SLOW_MS = 100;

describe('the services as JSON', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: SlowLine;
  let log: PrintedLog;
  let service: Service;
  let ownerId: string;
  let fullKey: string;
  beforeAll(async () => {
    log = new PrintedLog();
    database = await createDatabase();
    line = await SlowLine.to(database.url);
    service = await startServiceHere({
      DATABASE_URL: line.instead(database.url),
      LOG_LEVEL: 'debug',
      SLOW_VALIDATION_MS: String(SLOW_MS),
    });
    const owner = await newOwner(service);
    ownerId = owner.id;
    fullKey = (await owner.person.newKey()).fullKey;
  });
  afterAll(async () => {
    await service?.stop();
    line.close();
    await database.drop();
    log.stop();
  });

  interface Sent {
    readonly path?: string;
    readonly method?: string;
    readonly headers?: Record<string, string>;
  }
  async function send(body: string | Buffer | undefined, { path = VALIDATE, method = 'POST', headers }: Sent = {}) {
    const request = {
      method,
      headers: { ...JSON_TYPE, ...VALIDATOR, ...headers },
      ...(body !== undefined && { body }),
    };
    const response = await fetch(`${service.servicesUrl}${path}`, request as RequestInit);
    const json = (await response.json()) as Record<string, Record<string, unknown>>;
    return { status: response.status, headers: response.headers, json };
  }
  const ask = (question: object, sent?: Sent) => send(JSON.stringify(question), sent);
  const administer = (method: string, request: object) =>
    ask(request, {
      path: `/latchkey.v1.AccountService/${method}`,
      headers: { authorization: 'Bearer dev-accounts-token' },
    });
  const raw = (headers: string[], body = '', line = `POST ${VALIDATE}`) =>
    rawRequest({ url: service.servicesUrl }, line, ['authorization: Bearer dev-validator-token', ...headers], body);

  test('grant a key with what gRPC grants, and are never stored by a cache', async () => {
    const question = { apiKey: fullKey, operation: 'OPERATION_READ', permission: 'systems:read', requestId: 'r-1' };
    const { status, headers, json } = await ask(question);
    const overGrpc = await service.clients.validate(fullKey, { permission: 'systems:read' });
    expect([status, json['requestId'], json['grant']!['keyId']]).toEqual([200, 'r-1', overGrpc.grant!.keyId]);
    expect(json['grant']).toMatchObject({ ownerId, access: 'ACCESS_LEVEL_READ_AND_WRITE', attributes: [] });
    expect(json['rateLimit']).toMatchObject({ limit: overGrpc.rateLimit!.limit });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('latchkey-ratelimit-window')).toMatch(/^\d+$/);
  });

  test('give every verdict that gRPC gives, from the same limits', async () => {
    const { person } = await newOwner(service, { limits: { requestsPerSecond: 1, burst: 2 } });
    const { fullKey: limited } = await person.newKey({ access: 'read-only' });
    const reasonOf = async (question: object) => (await ask(question)).json['denial'];
    expect(await reasonOf({ apiKey: limited, operation: 'OPERATION_WRITE' })).toMatchObject({
      reason: 'REASON_READ_ONLY_KEY',
      httpStatus: 403,
    });
    await service.clients.validate(limited);
    const denial = await reasonOf({ authorization: `bearer ${limited}`, operation: 'OPERATION_READ' });
    expect(denial).toMatchObject({ reason: 'REASON_RATE_LIMITED', httpStatus: 429 });
    expect(denial!['retryAfter']).toMatch(/^\d+(\.\d+)?s$/);
    expect(await reasonOf({ authorization: '', operation: 'OPERATION_READ' })).toMatchObject({
      reason: 'REASON_INVALID_KEY',
      keyId: '',
    });
  });

  test('record a denied key on the audit trail, with the id of the request', async () => {
    await ask({ apiKey: unknownKey(), operation: 'OPERATION_READ', requestId: 'as-json', clientIp: '192.0.2.9' });
    const events = await sql<{ client_ip: string }>(
      database.url,
      `SELECT client_ip FROM audit_events WHERE type = 'authentication.failed' AND request_id = 'as-json'`,
    );
    expect(events).toHaveLength(1);
  });

  test('keep an account in step, and a key stops with the answer that suspended its owner', async () => {
    const id = `json-${Date.now()}`;
    const put = await administer('PutAccount', {
      id,
      email: `${id}@example.com`,
      permissions: ['systems:read'],
      version: '18446744073709551615',
      limits: { burst: 7 },
      attributes: { items: [{ name: 'plan', value: 'pro' }] },
    });
    expect([put.status, put.json]).toMatchObject([
      200,
      {
        id,
        version: '18446744073709551615',
        status: 'ACCOUNT_STATUS_ACTIVE',
        kind: 'ACCOUNT_KIND_PERSON',
        limits: { burst: 7 },
      },
    ]);
    expect((await administer('GetAccount', { id })).json).toEqual(put.json);
    expect((await administer('SuspendAccount', { id: ownerId })).json['status']).toBe('ACCOUNT_STATUS_SUSPENDED');
    const { json } = await ask({ apiKey: fullKey, operation: 'OPERATION_READ' });
    expect(json['denial']!['reason']).toBe('REASON_OWNER_SUSPENDED');
    await administer('ReactivateAccount', { id: ownerId });
    const keys = await administer('ListKeys', { ownerId, expiresBefore: '2100-01-01T00:00:00Z' });
    expect(keys.json).toMatchObject({ keys: [{ ownerId, imported: false }], nextPageToken: '' });
  });

  test.each([
    ['GetAccount', { id: 'nobody' }, 404, 'not_found'],
    ['PutAccount', { id: '' }, 400, 'invalid_argument'],
    ['PurgeAccount', { id: 'demo', version: 'x' }, 400, 'invalid_argument'],
    [
      'PutAccount',
      { id: 'demo', kind: 'ACCOUNT_KIND_SERVICE', managers: { ids: ['demo'] } },
      400,
      'failed_precondition',
    ],
    ['PutAccount', { id: 'taken', email: 'demo@latchkey.dev' }, 409, 'already_exists'],
  ])('answer an error of %s %j with its status of Connect', async (method, request, status, code) => {
    expect(await administer(method, request)).toMatchObject({ status, json: { code } });
  });

  test.each(unary)('%s needs a service identity of its role, and its time is measured', async (path) => {
    const name = /([A-Za-z]+\/[A-Za-z]+)$/.exec(path)![1]!;
    const refusedCalls = async () =>
      (await readMetrics(service.url)).sum('latchkey_grpc_server_request_duration_seconds_count', {
        method: name,
        outcome: 'refused',
      });
    const before = await refusedCalls();
    const nobody = await ask({}, { path, headers: { authorization: 'Bearer of-nobody' } });
    expect(nobody).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer');
    const other = path.includes('AccountService') ? 'dev-validator-token' : 'dev-accounts-token';
    const forbidden = await ask({}, { path, headers: { authorization: `Bearer ${other}` } });
    expect(forbidden).toMatchObject({ status: 403, json: { code: 'permission_denied' } });
    expect(await refusedCalls()).toBe(before + 2);
  });

  test.each([
    ['{"apiKey":"x","operation":"OPERATION_READ","permision":"systems:write"}', 'permision is not a field'],
    ['{"apiKey":"x","operation":"OPERATION_READ","permission":null}', 'permission must not be null'],
    ['{"apiKey":"x","authorization":"","operation":"OPERATION_READ"}', 'authorization and apiKey exclude each other'],
    ['{"apiKey":"x"}', 'operation must be one of'],
    ['{"operation":"OPERATION_READ"}', 'credential is unset'],
    ['{', 'The body is not valid JSON'],
    ['', 'The body is not valid JSON'],
  ])('answer %s with invalid_argument, and count it as refused', async (body, message) => {
    const { status, json } = await send(body);
    expect([status, json['code'], json['message']]).toEqual([
      400,
      'invalid_argument',
      expect.stringContaining(message),
    ]);
  });

  test('read bodies of 64 KiB and no more, however they are sent', async () => {
    const body = (bytes: number) => {
      const question = { apiKey: '', operation: 'OPERATION_READ' };
      return JSON.stringify({ ...question, apiKey: 'x'.repeat(bytes - JSON.stringify(question).length) });
    };
    expect((await send(body(65_536))).status).toBe(200);
    expect(await send(body(65_537))).toMatchObject({ status: 429, json: { code: 'resource_exhausted' } });
    const chunked = `${(65_537).toString(16)}\r\n${body(65_537)}\r\n0\r\n\r\n`;
    const answer = await raw(['content-type: application/json', 'transfer-encoding: chunked'], chunked);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([429, 'resource_exhausted']);
  });

  test.each([
    ['GET', { method: 'GET' }, 405, 'unimplemented'],
    ['another path', { path: `${VALIDATE}/` }, 404, 'unimplemented'],
    ['a path in other letters', { path: VALIDATE.toLowerCase() }, 404, 'unimplemented'],
    ['an encoded path', { path: VALIDATE.replace('K', '%4B') }, 404, 'unimplemented'],
    ['a query', { path: `${VALIDATE}?connect=v1` }, 404, 'unimplemented'],
    ['a stream', { path: `${VALIDATE}s` }, 404, 'unimplemented'],
    ['a service without JSON', { path: '/envoy.service.auth.v3.Authorization/Check' }, 404, 'unimplemented'],
    ['a page', { path: '/livez' }, 404, 'unimplemented'],
    ['an Origin', { headers: { origin: 'https://app.example.com' } }, 403, 'permission_denied'],
    ['Sec-Fetch-Site', { headers: { 'sec-fetch-site': 'same-origin' } }, 403, 'permission_denied'],
    ['another content type', { headers: { 'content-type': 'application/proto' } }, 415, 'invalid_argument'],
    ['another charset', { headers: { 'content-type': 'application/json; charset=latin1' } }, 415, 'invalid_argument'],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, 415, 'invalid_argument'],
    ['a time that is no number', { headers: { 'connect-timeout-ms': '1s' } }, 400, 'invalid_argument'],
  ] as [string, Sent, number, string][])('refuse %s', async (_, sent, status, code) => {
    const body = sent.method === 'GET' ? undefined : JSON.stringify({ apiKey: fullKey, operation: 'OPERATION_READ' });
    expect(await send(body, sent)).toMatchObject({ status, json: { code } });
  });

  test('accept the charset UTF-8, and ignore cookies', async () => {
    const headers = { 'content-type': 'application/json; charset=UTF-8', cookie: 'latchkey_session=x' };
    expect((await ask({ apiKey: fullKey, operation: 'OPERATION_READ' }, { headers })).json['grant']).toBeTruthy();
  });

  test('refuse two lengths of one body, and two Authorization headers', async () => {
    const lengths = ['content-type: application/json', 'content-length: 2', 'transfer-encoding: chunked'];
    expect((await raw(lengths, '2\r\n{}\r\n0\r\n\r\n')).status).toBe(400);
    const twice = ['content-type: application/json', 'authorization: Bearer dev-validator-token', 'content-length: 2'];
    expect((await raw(twice, '{}')).status).toBe(401);
  });

  test('close the connection after an answer that was sent before the body was read', async () => {
    const { hostname, port } = new URL(service.servicesUrl);
    const answered = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST ${VALIDATE} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
        ),
      );
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
    });
    const [head = ''] = answered.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 401 /);
    expect(head.toLowerCase()).toContain('connection: close');
  });

  test('answer deadline_exceeded once the time of the caller has passed, and count and log the call', async () => {
    const aborted = async () =>
      (await readMetrics(service.url)).sum('latchkey_grpc_server_request_duration_seconds_count', {
        method: 'ApiKeyService/ValidateKey',
        outcome: 'aborted',
      });
    const question = { apiKey: fullKey, operation: 'OPERATION_READ', requestId: 'too late' };
    line.delayMs = SLOW_MS;
    const late = await ask(question, { headers: { 'connect-timeout-ms': '1' } });
    line.delayMs = 0;
    expect(late).toMatchObject({ status: 504, json: { code: 'deadline_exceeded' } });
    await eventually(async () => (await aborted()) === 1);
    expect(log.named('slow validation').map(({ requestId }) => requestId)).toContain('too late');
    const inTime = await ask(question, { headers: { 'connect-timeout-ms': '9999999999' } });
    expect(inTime.json['grant']).toBeTruthy();
  });

  test('are not served on HTTP_PORT', async () => {
    const headers = { ...JSON_TYPE, ...VALIDATOR };
    expect((await fetch(`${service.url}${VALIDATE}`, { method: 'POST', headers, body: '{}' })).status).toBe(404);
  });

  test('never have a credential in the log', async () => {
    const keys = [fullKey, unknownKey(), withWrongSecret(fullKey)];
    for (const key of keys) await ask({ apiKey: key, operation: 'OPERATION_READ', requestId: key, userAgent: key });
    await ask({ [fullKey]: fullKey });
    await eventually(async () => log.named('refused').length > 0);
    for (const key of keys) expect(log.text).not.toContain(key.slice(-64));
    expect(log.text).not.toContain('dev-validator-token');
  });

  test('answer the curl of the quickstart', async () => {
    const command = snippetOf('docs/quickstart.md', '3. Guard a route of your own', 'sh').trim();
    expect(command).toContain('http://127.0.0.1:3080/');
    const here = command.replace('http://127.0.0.1:3080', service.servicesUrl);
    const env = { ...process.env, API_KEY: fullKey };
    const curl = spawn('bash', ['-c', `${here} --silent`], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    expect(JSON.parse(await text(curl.stdout))).toMatchObject({ grant: { ownerId } });
  });
});

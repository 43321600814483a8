import type { ServiceError } from '@grpc/grpc-js';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import { ExtAuthz } from '../doors/support/ext-authz.js';
import { answer, bearer, type Clients } from '../support/callers/grpc-clients.js';
import type { Find } from './canary-search.js';

/** The entries of the service, and where to note its answers. */
interface Paths {
  readonly url: string;
  readonly clients: Clients;
  /** The token that `clients` use. */
  readonly validatorToken: string;
  /** The cookie of a person who is signed in. */
  readonly cookie: string;
  note(find: Find): void;
}

type Headers = Record<string, string>;

/** Notes the complete answer with its headers, unless it hands out a key or a session. */
async function request(
  paths: Paths,
  method: string,
  path: string,
  headers: Headers = {},
  body?: string,
): Promise<void> {
  const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(paths.url + path, {
    method,
    headers: { cookie: paths.cookie, ...type, ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = [...response.headers].flat().join('\n') + (await response.text());
  if (![201, 204].includes(response.status))
    paths.note({ place: `the answer to ${method} ${path.split(/[?%]/, 1)[0]!.slice(0, 24)}`, text });
}

/** Notes the error of a failed call. */
async function call(paths: Paths, method: string, pending: Promise<unknown>): Promise<void> {
  try {
    await pending;
  } catch (error) {
    const { details, metadata } = error as ServiceError;
    paths.note({ place: `the answer to ${method}`, text: `${details} ${JSON.stringify(metadata.getMap())}` });
  }
}

/** Sends a key in every place where a client might put one, by mistake or on purpose. */
export async function presentKey(paths: Paths, key: string, password: string): Promise<void> {
  const { clients } = paths;
  const send = (method: string, path: string, headers?: Headers, body?: string) =>
    request(paths, method, path, headers, body);
  const order = (part: object) => JSON.stringify({ name: 'CI', access: 'read-only', password, ...part });

  const asHeaders = ['x-request-id', 'user-agent', 'referer', 'x-forwarded-for', 'x-api-key', 'origin', 'accept'];
  // The fields next to a well-formed traceparent may contain any text.
  const trace = {
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    tracestate: `x=${key}`,
    baggage: `x=${key}`,
  };
  const fields = ['api_key', 'cursor', 'limit', 'status'];
  const places = [`/${key}`, `/v1/api-keys/${key}`, `/settings/assets/${key}`, `/v1/${key.replace('.', '%2e')}`];
  const position = Buffer.from(JSON.stringify([key])).toString('base64url');
  await Promise.all([
    send('GET', '/v1/session', { authorization: `Bearer ${key}` }),
    send('GET', '/v1/session', { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
    send('GET', '/v1/api-keys', { cookie: `latchkey_session=${key}` }),
    ...asHeaders.map((name) => send('GET', '/v1/api-keys', { [name]: key })),
    ...asHeaders.map((name) => send('POST', '/v1/session', { [name]: key }, '{}')),
    send('GET', '/v1/api-keys', trace),
    send('GET', '/v1/api-keys', { ...trace, traceparent: key }),
    ...fields.map((field) => send('GET', `/v1/api-keys?${field}=${key}`)),
    ...places.map((path) => send('GET', path)),
    send('GET', `/v1/audit-events?cursor=${position}`),
    send('POST', `/v1/api-keys/${key}/revoke`),
    send('POST', '/v1/api-keys', {}, `{"name":"${key}`),
    send('POST', '/v1/session', {}, JSON.stringify({ email: `${key}@example.com`, password: key })),
  ]);
  await send('POST', '/v1/api-keys', { 'idempotency-key': key }, order({}));
  await send('POST', '/v1/api-keys', { 'content-type': `text/${key}` }, order({}));
  for (const part of [{ name: key }, { access: key }, { expiresInDays: key }, { password: key }, { [key]: 1 }]) {
    await send('POST', '/v1/api-keys', {}, order(part));
  }

  const validation = { apiKey: key, requestId: key, userAgent: `curl ${key}`, clientIp: key } as const;
  const profile = { id: 'other', email: 'other@example.com' };
  const wrong = [{ permissions: [key] }, { email: key }, { id: `${key}/` }, { passwordHash: key }];
  await Promise.all([
    call(paths, 'ValidateKey', clients.validate(key, validation)),
    call(paths, 'ValidateKey', clients.validateRequest({ ...validation, authorization: `Bearer ${key}` })),
    call(paths, 'ValidateKey', clients.validate(key, { permission: key })),
    call(paths, 'ValidateKey', clients.validate(key, { permission: `${key}:read` })),
    ...wrong.map((part) => call(paths, 'PutAccount', clients.putAccount({ ...profile, ...part }))),
    call(paths, 'GetAccount', clients.account('GetAccount', key)),
    presentToken(paths, key),
    introspect(paths, key),
    checkAsEnvoy(paths, key),
  ]);
}

async function introspect(paths: Paths, key: string): Promise<void> {
  const identity = { authorization: `Bearer ${paths.validatorToken}` };
  const forms = [`token=${key}`, `${key}=a&${key}=b`, `token=a&token=${key}`, `token=a&token_type_hint=${key}`];
  const types: Headers[] = [{ 'content-type': 'application/x-www-form-urlencoded' }, { 'content-type': `text/${key}` }];
  for (const headers of types) {
    for (const form of forms) await request(paths, 'POST', '/v1/introspect', { ...identity, ...headers }, form);
    for (const client of [`client_id=${key}&client_secret=a`, `client_id=a&client_secret=${key}`]) {
      await request(paths, 'POST', '/v1/introspect', headers, `token=a&${client}`);
    }
    const basic = { ...headers, authorization: `Basic ${btoa(`${key}:${key}`)}` };
    await request(paths, 'POST', '/v1/introspect', basic, 'token=a');
  }
}

async function checkAsEnvoy(paths: Paths, key: string): Promise<void> {
  const envoy = new ExtAuthz(paths.clients.apiKeys.getChannel().getTarget(), bearer(paths.validatorToken));
  const headers = { authorization: `Bearer ${key}`, 'user-agent': key, 'x-request-id': key };
  const settings = [{}, { permission: key }, { permission: `${key}:read` }, { permission: '', operation: key }];
  for (const setting of settings) {
    const { forwarded: _for, ...sent } = await envoy.pass({ headers, method: key }, setting);
    paths.note({ place: 'the answer to Check', text: JSON.stringify(sent) });
  }
  const { forwarded } = await envoy.pass({ headers: { authorization: `Bearer ${key}` } }, { permission: '' });
  paths.note({ place: 'what Envoy passes on', text: JSON.stringify(forwarded ?? {}) });
  envoy.close();
}

/** Presents a service token, real or false, everywhere a service signs in. */
export async function presentToken(paths: Paths, token: string): Promise<void> {
  const { apiKeys, accounts } = paths.clients;
  await call(
    paths,
    'ValidateKey',
    answer((done) => apiKeys.validateKey({}, bearer(token), done)),
  );
  await call(
    paths,
    'GetAccount',
    answer((done) => accounts.getAccount({ id: 'x/y' }, bearer(token), done)),
  );
  await request(paths, 'GET', '/v1/session', { authorization: `Bearer ${token}` });
  await request(paths, 'GET', `/v1/session?access_token=${token}`);
}

export async function presentPassword(paths: Paths, profile: PutAccountRequest, password: string): Promise<void> {
  const { email } = profile;
  const order = { name: 'CI', access: 'read-only', password };
  const send = (path: string, body: string) => request(paths, 'POST', path, {}, body);

  await send('/v1/session', JSON.stringify({ email: 'nobody@example.com', password }));
  await send('/v1/session', JSON.stringify({ email: `${password}@example.com`, password: 'x' }));
  await send('/v1/session', JSON.stringify({ email, password }));
  await send('/v1/session', JSON.stringify({ email, password: [password] }));
  await send('/v1/session', JSON.stringify({ email, password: password.padEnd(2000, password) }));
  await send('/v1/session', `{"email":"${email}","password":"${password}`);
  await send(`/v1/session?password=${password}`, JSON.stringify({ email, password, remember: true }));
  await send('/v1/api-keys', JSON.stringify(order));
  await send('/v1/api-keys', JSON.stringify({ ...order, expiresInDays: password }));
  await request(paths, 'GET', '/v1/session', {
    authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}`,
  });
  await call(paths, 'PutAccount', paths.clients.putAccount({ ...profile, email: 'none', password }));
  await call(paths, 'PutAccount', paths.clients.putAccount({ ...profile, permissions: ['*'], password }));
  await call(paths, 'PutAccount', paths.clients.putAccount({ ...profile, passwordHash: password }));
  await presentToken(paths, password);
}

export async function presentSession(paths: Paths, session: string): Promise<void> {
  for (const cookie of [`latchkey_session=${session}`, `latchkey_session=${session}x`, `x=${session}`]) {
    await request(paths, 'GET', '/v1/session', { cookie });
    await request(paths, 'POST', '/v1/api-keys', { cookie }, '{}');
  }
  await request(paths, 'GET', `/v1/api-keys?latchkey_session=${session}`);
  await presentToken(paths, session);
}

import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { callerOf } from '#infrastructure/inbound/grpc/call-pipeline.js';
import { ServiceIdentity } from '#infrastructure/inbound/shared/service-identity.js';
import { parseServiceTokens } from '#config/service-roles.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { type Service, startService } from '../support/processes/service.js';

const protos = [
  'latchkey/v1/api_key_service.proto',
  'latchkey/v1/account_service.proto',
  'envoy/service/auth/v3/external_auth.proto',
];
const definition = loadSync(protos, { includeDirs: ['proto'] });
/** Every method of every service, so that a new one cannot be forgotten. */
const METHODS = Object.entries(definition).flatMap(([service, methods]) =>
  'format' in methods
    ? []
    : Object.values(methods as Record<string, MethodDefinition<object, object>>).map((method) => ({
        service: service.replace('latchkey.v1.', ''),
        path: method.path,
        method,
      })),
);
/** The role that each service requires, or one of its methods. A service that is missing here fails its tests. */
const ROLE_OF: Record<string, string> = {
  ApiKeyService: 'validator',
  AccountService: 'accounts',
  'envoy.service.auth.v3.Authorization': 'validator',
  '/latchkey.v1.AccountService/ImportKeys': 'importer',
  '/latchkey.v1.AccountService/CreateKey': 'issuer',
  '/latchkey.v1.AccountService/RotateKey': 'issuer',
};
/** Further roles of a method. */
const ALSO: Record<string, string> = { '/latchkey.v1.AccountService/RevokeKeys': 'issuer' };
/**
 * The status of an empty request with the right identity. A stream without requests, Envoy's Check and lists of
 * all accounts or keys succeed.
 */
const statusWhenAllowed = ({ service, path, method }: (typeof METHODS)[number]) =>
  method.requestStream || service.startsWith('envoy.') || /\/(List[A-Za-z]+|ReportUses)$/.test(path)
    ? status.OK
    : status.INVALID_ARGUMENT;

const sha256 = (token: string) => createHash('sha256').update(token).digest('hex');
const SERVICE_TOKENS = [
  `gateway:validator:${sha256('validator-token')}`,
  `platform:accounts:${sha256('accounts-token')}`,
  `migration:importer:${sha256('importer-token')}`,
  `gitlab:reporter:${sha256('reporter-token')}`,
  `ci:issuer/*:${sha256('issuer-token')}`,
  `rotating:validator:${sha256('old-token')}`,
  `rotating:validator:${sha256('new-token').toUpperCase()}`,
  `both:validator:${sha256('both-token')}`,
  `both:accounts:${sha256('both-token')}`,
  `both:importer:${sha256('both-token')}`,
  `both:issuer/bot:${sha256('both-token')}`,
].join(',');

describe('the service identity', () => {
  let service: Service;
  let client: Client;
  beforeAll(async () => {
    service = await startService({ SERVICE_TOKENS });
    client = new Client(service.grpcTarget, credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await service.stop();
  });

  /** The status that an empty request ends with, for every kind of call. */
  function call(
    { path, method }: (typeof METHODS)[number],
    metadata: Metadata,
  ): Promise<Pick<ServiceError, 'code' | 'details'>> {
    const { requestSerialize, responseDeserialize } = method;
    return new Promise((resolve, reject) => {
      const given = [path, requestSerialize, responseDeserialize] as const;
      if (!method.requestStream && !method.responseStream) {
        client.makeUnaryRequest(...given, {}, metadata, {}, (error) =>
          resolve(error ?? { code: status.OK, details: '' }),
        );
        return;
      }
      const stream = client.makeBidiStreamRequest(...given, metadata, {});
      stream.on('error', resolve).on('status', resolve).on('data', reject);
      stream.end();
    });
  }

  const NOBODY: [string, () => Metadata][] = [
    ['no token', () => new Metadata()],
    ['an unknown token', () => bearer('who-is-this')],
    ['an empty token', () => bearer('')],
    ["a token's digest", () => bearer(sha256('validator-token'))],
    ['Basic', () => metadataOf('Basic validator-token')],
    ['the bare token', () => metadataOf('validator-token')],
    ['two spaces', () => metadataOf('Bearer  validator-token')],
    ['two tokens in one entry', () => metadataOf('Bearer accounts-token, Bearer validator-token')],
    ['the demo token, which SERVICE_TOKENS replaced', () => bearer('dev-validator-token')],
  ];
  test.each(METHODS.flatMap((method) => NOBODY.map(([name, metadata]) => ({ ...method, name, metadata }))))(
    '$path refuses $name as UNAUTHENTICATED',
    async ({ metadata, ...method }) => {
      const { code, details } = await call(method, metadata());
      expect(code).toBe(status.UNAUTHENTICATED);
      expect(details).not.toMatch(/validator-token|accounts-token|who-is-this/);
    },
  );

  test.each(METHODS)('$path refuses a caller without a token before the request is read', async ({ path }) => {
    const session = connect(`http://${service.grpcTarget}`);
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    const [answer] = await once(session.request(headers), 'response');
    expect(answer).toMatchObject({ 'grpc-status': String(status.UNAUTHENTICATED) });
    session.destroy();
  });

  test.each(METHODS)('$path accepts one role and answers PERMISSION_DENIED to the others', async (method) => {
    const role = ROLE_OF[method.path] ?? ROLE_OF[method.service];
    expect(role).toBeDefined();
    const roles = ['validator', 'accounts', 'importer', 'reporter', 'issuer'];
    const others = roles.filter((other) => other !== role && other !== ALSO[method.path]);
    for (const other of others) {
      expect((await call(method, bearer(`${other}-token`))).code).toBe(status.PERMISSION_DENIED);
    }
    expect((await call(method, bearer(`${role}-token`))).code).toBe(statusWhenAllowed(method));
  });

  test('is tested with the methods of all services in the protos', () => {
    expect(METHODS.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/latchkey.v1.ApiKeyService/ValidateKey',
        '/latchkey.v1.ApiKeyService/ValidateKeys',
        '/latchkey.v1.AccountService/DeleteAccount',
        '/envoy.service.auth.v3.Authorization/Check',
      ]),
    );
    expect(METHODS.length).toBeGreaterThanOrEqual(7);
  });

  test.each(METHODS)('$path accepts a name that has several roles', async (method) => {
    expect((await call(method, bearer('both-token'))).code).toBe(statusWhenAllowed(method));
  });

  test('is proven by the old and the new token of a name, in any case of the scheme', async () => {
    const [validateKey] = METHODS.filter(({ path }) => path.endsWith('/ValidateKey'));
    for (const text of ['Bearer old-token', 'Bearer new-token', 'bearer new-token', 'BEARER old-token']) {
      expect((await call(validateKey!, metadataOf(text))).code).toBe(status.INVALID_ARGUMENT);
    }
  });

  test('is not proven by two authorization entries, even if both are good', () => {
    // grpc-js cannot send two: Node's HTTP/2 refuses to send them, and keeps only the first of those that it receives.
    const identity = new ServiceIdentity(SERVICE_TOKENS.split(',').map(parseServiceTokens), [], new Log('silent'));
    const metadata = bearer('validator-token');
    const call = { getAuthContext: () => ({}), getPeer: () => '127.0.0.1:1' };
    const identify = () => identity.require(['validator'], callerOf(metadata, call), 'ValidateKey');
    expect(identify).not.toThrow();
    metadata.add('authorization', 'Bearer validator-token');
    expect(identify).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });
});

function metadataOf(authorization: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  return metadata;
}

import type { ServiceError, MethodDefinition, Metadata } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_SERVICE_TOKENS } from '#config/service-roles.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';

describe('a credential of a person or a key', () => {
  let service: Service;
  let owner: Owner;
  let fullKey: string;
  beforeAll(async () => {
    service = await sharedService();
    owner = await newOwner(service);
    fullKey = (await owner.person.newKey()).fullKey;
  });
  afterAll(() => service.stop());

  const definitionsOf = (client: object) =>
    Object.values(
      (client.constructor as unknown as { service: Record<string, MethodDefinition<object, object>> }).service,
    );

  /** The status of an empty request. */
  function statusOf(
    { path, requestSerialize, responseDeserialize, requestStream }: MethodDefinition<object, object>,
    who: Metadata,
  ) {
    const client = service.clients.apiKeys;
    if (!requestStream) {
      const call = answer((done) =>
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, who, {}, done),
      );
      return call.then(() => status.OK).catch(({ code }: ServiceError) => code);
    }
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, who, {});
    stream.end();
    return new Promise((resolve) =>
      stream
        .on('error', () => undefined)
        .on('data', () => undefined)
        .on('status', ({ code }) => resolve(code)),
    );
  }

  test.each<[string, () => string]>([
    ['an API key', () => fullKey],
    ['a session', () => owner.person.cookie.split('=')[1]!],
    ['a password', () => PASSWORD],
    ['the name of a service', () => DEMO_SERVICE_TOKENS[0]!.name],
  ])('is UNAUTHENTICATED on every gRPC method: %s', async (_, token) => {
    const { apiKeys, accounts } = service.clients;
    const methods = [...definitionsOf(apiKeys), ...definitionsOf(accounts)];
    const codes = await Promise.all(methods.map((method) => statusOf(method, bearer(token()))));
    expect(codes).toEqual(methods.map(() => status.UNAUTHENTICATED));
    expect(methods.length).toBeGreaterThanOrEqual(7);
  });

  test('is not replaced by metadata that claims a role or an owner', async () => {
    const claims = bearer('dev-validator-token');
    for (const name of ['x-owner-id', 'x-role', 'role', 'x-forwarded-client-cert'])
      claims.set(name, `accounts;${owner.id}`);
    const [getAccount] = definitionsOf(service.clients.accounts).filter(({ path }) => path.endsWith('/GetAccount'));
    expect(await statusOf(getAccount!, claims)).toBe(status.PERMISSION_DENIED);
  });
});

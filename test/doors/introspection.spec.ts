import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { snippetOf } from '../support/reading/pages.js';
import { sharedService, type Service } from '../support/processes/service.js';

const SERVICE_TOKEN = 'dev-validator-token';
const byBearer =
  (secret: string): oauth.ClientAuth =>
  (_server, _client, _body, headers) =>
    headers.set('authorization', `Bearer ${secret}`);
const WAYS = [
  ['Bearer', byBearer],
  ['client_secret_basic', oauth.ClientSecretBasic],
  ['client_secret_post', oauth.ClientSecretPost],
] as const;

describe('token introspection', () => {
  let service: Service;
  let owner: Owner;
  let key: { id: string; fullKey: string };
  beforeAll(async () => {
    service = await sharedService();
    const attributes = { items: [{ name: 'tenant', value: 'Dvořák & Söhne' }] };
    owner = await newOwner(service, { attributes });
    const { apiKey, fullKey } = await owner.person.newKey({ access: 'read-only' });
    key = { id: apiKey.id, fullKey };
  });
  afterAll(() => service.stop());

  describe('a standard OAuth client', () => {
    /** Sends a request, and checks the answer by the standard: status, content type, types of the members. */
    const introspect = async (
      token: string,
      identifyBy: (secret: string) => oauth.ClientAuth = byBearer,
      { name = 'dev-validator', secret = SERVICE_TOKEN } = {},
    ) => {
      const server = { issuer: service.url, introspection_endpoint: `${service.url}/v1/introspect` };
      const client = { client_id: name };
      const options = {
        [oauth.allowInsecureRequests]: true,
        additionalParameters: { token_type_hint: 'access_token' },
      };
      const response = await oauth.introspectionRequest(server, client, identifyBy(secret), token, options);
      return oauth.processIntrospectionResponse(server, client, response);
    };

    test.each(WAYS)('sees a good key as active, with %s', async (_, identifyBy) => {
      const introspected = await introspect(key.fullKey, identifyBy);
      expect(introspected).toMatchObject({ active: true, sub: owner.id, client_id: key.id, scope: 'systems:read' });
      expect(introspected['attributes']).toEqual({ tenant: 'Dvořák & Söhne' });
      // Clients keep an answer until then.
      expect(introspected).not.toHaveProperty('exp');
    });

    test('sees no attributes of an account that the platform says nothing about', async () => {
      const { fullKey } = await (await newOwner(service)).person.newKey();
      expect((await introspect(fullKey))['attributes']).toEqual({});
    });

    test('sees anything else as inactive', async () => {
      expect(await introspect(unknownKey())).toEqual({ active: false });
    });

    test.each([
      ['Bearer', byBearer, { secret: 'who-is-this' }, 'bearer'],
      ['client_secret_basic', oauth.ClientSecretBasic, { secret: 'who-is-this' }, 'basic'],
      ['client_secret_post', oauth.ClientSecretPost, { secret: 'who-is-this' }, 'basic'],
      ["client_secret_basic and another's name", oauth.ClientSecretBasic, { name: 'dev-accounts' }, 'basic'],
      ["client_secret_post and another's name", oauth.ClientSecretPost, { name: 'dev-accounts' }, 'basic'],
    ] as const)(
      'is refused with a challenge when its secret or name is wrong, with %s',
      async (_, identifyBy, identity, scheme) => {
        const refused = introspect(key.fullKey, identifyBy, identity);
        await expect(refused).rejects.toMatchObject({ status: 401, cause: [{ scheme }] });
      },
    );
  });

  test('works with the command line in docs/api.md', async () => {
    const line = snippetOf('docs/api.md', 'Token introspection (RFC 7662)', 'sh').replace(
      'http://127.0.0.1:3000',
      service.url,
    );
    const env = { ...process.env, LATCHKEY_SERVICE_TOKEN: SERVICE_TOKEN, API_KEY: key.fullKey };
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { env });
    expect(JSON.parse(stdout)).toMatchObject({ active: true, sub: owner.id });
  });
});

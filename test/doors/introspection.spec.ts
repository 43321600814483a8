import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { unknownKey } from '../support/key-strings.js';
import { newOwner, type Owner } from '../support/owners.js';
import { snippetOf } from '../support/pages.js';
import { sharedService, type Service } from '../support/service.js';

const SERVICE_TOKEN = 'dev-validator-token';

describe('token introspection', () => {
  let service: Service;
  let owner: Owner;
  let key: { id: string; fullKey: string };
  beforeAll(async () => {
    service = await sharedService();
    owner = await newOwner(service);
    const { apiKey, fullKey } = await owner.person.newKey({ access: 'read-only' });
    key = { id: apiKey.id, fullKey };
  });
  afterAll(() => service.stop());

  describe('by an OAuth client that knows nothing of Latchkey', () => {
    /** Sends, and holds the answer to the standard: status, content type, types of the members. */
    const introspect = async (token: string, serviceToken = SERVICE_TOKEN) => {
      const server = { issuer: service.url, introspection_endpoint: `${service.url}/v1/introspect` };
      const client = { client_id: 'gateway' };
      const byBearer: oauth.ClientAuth = (_server, _client, _body, headers) =>
        headers.set('authorization', `Bearer ${serviceToken}`);
      const options = {
        [oauth.allowInsecureRequests]: true,
        additionalParameters: { token_type_hint: 'access_token' },
      };
      const response = await oauth.introspectionRequest(server, client, byBearer, token, options);
      return oauth.processIntrospectionResponse(server, client, response);
    };

    test('reports a good key as active', async () => {
      const told = await introspect(key.fullKey);
      expect(told).toMatchObject({ active: true, sub: owner.id, client_id: key.id, scope: 'systems:read' });
      expect(told.exp! - told.iat!).toBe(24 * 60 * 60);
    });

    test('reports anything else as inactive', async () => {
      expect(await introspect(unknownKey())).toEqual({ active: false });
    });

    test('without a service token of ours is challenged', async () => {
      const refused = introspect(key.fullKey, 'who-is-this');
      await expect(refused).rejects.toMatchObject({ status: 401, cause: [{ scheme: 'bearer' }] });
    });
  });

  test('by the line in docs/http.md is answered', async () => {
    const line = snippetOf('docs/http.md', 'Token introspection (RFC 7662)', 'sh').replace(
      'http://127.0.0.1:3000',
      service.url,
    );
    const env = { ...process.env, LATCHKEY_SERVICE_TOKEN: SERVICE_TOKEN, API_KEY: key.fullKey };
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { env });
    expect(JSON.parse(stdout)).toMatchObject({ active: true, sub: owner.id });
  });
});

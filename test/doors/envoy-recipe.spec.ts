import { describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '../../src/domain/keys/access.js';
import { isPermission } from '../../src/domain/accounts/permission.js';
import { faultsOf } from './support/envoy-config.js';
import { OVERRIDES } from './overrides.js';
import {
  excerpt,
  identityOf,
  recipe,
  recipeFilter,
  recipeHosts,
  recipeProxying,
  recipeRoutes,
  settingsOf,
} from './support/envoy-recipe.js';

describe('deploy/envoy.yaml', () => {
  test("is spelled as Envoy's own definitions have it", () => expect(faultsOf(recipe)).toEqual([]));

  test.each([
    [
      'transport_api_version: V9',
      { transport_api_version: 'V9' },
      '.transport_api_version is no config.core.v3.ApiVersion',
    ],
    ['a misspelled name', { failure_mode_alow: true }, '.failure_mode_alow is not of ExtAuthz'],
    ['one in the place of many', { allowed_headers: { patterns: {} } }, '.allowed_headers.patterns is no list'],
    ['a text for a message', { grpc_service: 'latchkey' }, '.grpc_service is no GrpcService'],
  ])('would be caught with %s', (_, config, fault) => {
    expect(faultsOf(config, 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz')).toContain(fault);
  });

  test('lets nobody through while Latchkey is away, and says 503', () => {
    const { failure_mode_allow, status_on_error } = recipeFilter.typed_config;
    expect({ failure_mode_allow, status_on_error }).toEqual({
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
    });
  });

  test('names a permission on every route, and holds no service token', () => {
    expect(recipeRoutes.length).toBeGreaterThanOrEqual(3);
    for (const { permission, operation = 'read' } of recipeRoutes.map(settingsOf)) {
      expect([permission !== undefined && isPermission(permission), OPERATIONS]).toEqual([
        true,
        expect.arrayContaining([operation]),
      ]);
    }
    expect(identityOf(recipeFilter, { LATCHKEY_SERVICE_TOKEN: 'from-outside' }).getMap()).toEqual({
      authorization: 'Bearer from-outside',
    });
  });

  test('says of one method at most what it does: no DELETE passes for a read', () => {
    const told = recipeRoutes.filter((route) => 'operation' in settingsOf(route));
    const methods = told.map(({ match }) => match.headers?.find(({ name }) => name === ':method')?.string_match);
    expect(methods).toEqual([{ exact: 'POST' }]);
  });

  test('hands on no header that makes another request of one, in no spelling, and changes no protocol', () => {
    const protocol = recipeProxying.common_http_protocol_options;
    expect(protocol).toEqual({ headers_with_underscores_action: 'DROP_HEADER' });
    for (const { request_headers_to_remove } of recipeHosts) {
      const dropped = [...OVERRIDES, 'HTTP2-Settings'].map((name) => name.toLowerCase());
      expect(request_headers_to_remove).toEqual(expect.arrayContaining(dropped));
    }
    // Neither the connection manager nor a route switches an upgrade on.
    expect(JSON.stringify(recipe)).not.toContain('upgrade_configs');
  });

  test('is what docs/envoy.md shows an excerpt of', () => {
    expect(recipeFilter).toEqual(excerpt.http_filters[0]);
    expect(recipeRoutes).toContainEqual(excerpt.routes[0]);
  });
});

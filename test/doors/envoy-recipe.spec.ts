import { describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '#domain/keys/access.js';
import { isPermission } from '#domain/accounts/permission.js';
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
  test("matches Envoy's own definitions", () => expect(faultsOf(recipe)).toEqual([]));

  test.each([
    [
      'transport_api_version: V9',
      { transport_api_version: 'V9' },
      '.transport_api_version is not a valid config.core.v3.ApiVersion',
    ],
    ['a misspelled name', { failure_mode_alow: true }, '.failure_mode_alow is not a field of ExtAuthz'],
    ['an object instead of a list', { allowed_headers: { patterns: {} } }, '.allowed_headers.patterns is not a list'],
    ['a string instead of a message', { grpc_service: 'latchkey' }, '.grpc_service is not a valid GrpcService'],
  ])('would fail this check with %s', (_, config, fault) => {
    expect(faultsOf(config, 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz')).toContain(fault);
  });

  test('answers every request with 503 while Latchkey is unavailable', () => {
    const { failure_mode_allow, status_on_error } = recipeFilter.typed_config;
    expect({ failure_mode_allow, status_on_error }).toEqual({
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
    });
  });

  test('names a permission on every route, and contains no service token', () => {
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

  test('sets an operation for POST alone, so that no DELETE counts as a read', () => {
    const withOperation = recipeRoutes.filter((route) => 'operation' in settingsOf(route));
    const methods = withOperation.map(
      ({ match }) => match.headers?.find(({ name }) => name === ':method')?.string_match,
    );
    expect(methods).toEqual([{ exact: 'POST' }]);
  });

  test('removes every header that overrides the validated request, in any spelling, and allows no upgrade', () => {
    const protocol = recipeProxying.common_http_protocol_options;
    expect(protocol).toEqual({ headers_with_underscores_action: 'DROP_HEADER' });
    for (const { request_headers_to_remove } of recipeHosts) {
      const dropped = [...OVERRIDES, 'HTTP2-Settings'].map((name) => name.toLowerCase());
      expect(request_headers_to_remove).toEqual(expect.arrayContaining(dropped));
    }
    // Neither the connection manager nor a route switches an upgrade on.
    expect(JSON.stringify(recipe)).not.toContain('upgrade_configs');
  });

  test('contains the excerpt in docs/envoy.md', () => {
    expect(recipeFilter).toEqual(excerpt.http_filters[0]);
    expect(recipeRoutes).toContainEqual(excerpt.routes[0]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '#domain/keys/access.js';
import { isPermission } from '#domain/accounts/permission.js';
import { excerpt, identityOf, recipeFilter, recipeRoutes, settingsOf } from './support/envoy-recipe.js';

describe('deploy/envoy.yaml', () => {
  test('answers every request with 503 while Latchkey is unavailable', () => {
    const { failure_mode_allow, status_on_error } = recipeFilter.typed_config;
    expect({ failure_mode_allow, status_on_error }).toEqual({
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
    });
  });

  test('names a permission on every route, and contains no service token', () => {
    expect(recipeRoutes.length).toBeGreaterThanOrEqual(3);
    const named = recipeRoutes.filter((route) => !('direct_response' in route));
    for (const { permission, operation = 'read' } of named.map(settingsOf)) {
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

  test('contains the excerpt in docs/edge.md', () => {
    expect(recipeRoutes).toContainEqual(excerpt.routes[0]);
  });
});

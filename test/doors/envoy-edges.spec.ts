import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { guarantees } from './guarantees.js';
import { OVERRIDES } from './overrides.js';
import { ENVOY_AT_EDGE_DOOR, ENVOY_BY_ROUTES } from './recipes.js';

describe.each([ENVOY_BY_ROUTES, ENVOY_AT_EDGE_DOOR])('$name', (recipe) => guarantees(recipe));

test.each(['envoy-gateway', 'gateway-api-grpc', 'gateway-api-http'])(
  'deploy/gateways/%s.yaml removes every header that overrides the validated request',
  (name) => {
    const lines = readFileSync(join(root, `deploy/gateways/${name}.yaml`), 'utf8').split('\n');
    const removed = lines.flatMap((line) => /^ +- (X-.*)$/.exec(line)?.[1] ?? []);
    expect(removed).toEqual(
      expect.arrayContaining([...OVERRIDES, 'X-Latchkey-Status', 'X-Forwarded-Method', 'X-Forwarded-Uri']),
    );
  },
);

import { expect, test } from '@jest/globals';
import * as keyRules from '../../src/domain/keys/key-rules.js';
import { USAGE_KEPT_DAYS } from '../../src/domain/usage/key-history.js';
import * as screen from '../../web/src/rules.js';

const domain = { ...keyRules, USAGE_KEPT_DAYS };

test.each(Object.entries(screen))('the settings screen uses the same %s as the service: %i', (name, value) => {
  expect(domain).toHaveProperty(name, value);
});

test('the settings screen has rules to compare', () => expect(Object.keys(screen)).toContain('MAX_NAME_LENGTH'));

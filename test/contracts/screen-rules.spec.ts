import { expect, test } from '@jest/globals';
import { MAX_KEY_DAYS } from '#domain/accounts/account-limits.js';
import { MAX_ALLOWED_NETWORKS } from '#domain/keys/allowed-networks.js';
import { MAX_KEY_PERMISSIONS } from '#domain/keys/key-restrictions.js';
import * as keyRules from '#domain/keys/key-rules.js';
import { USAGE_KEPT_DAYS } from '#domain/usage/key-history.js';
import * as screen from '../../web/src/rules.js';

const domain = { ...keyRules, MAX_KEY_DAYS, MAX_ALLOWED_NETWORKS, MAX_KEY_PERMISSIONS, USAGE_KEPT_DAYS };

test.each(Object.entries(screen))('the settings screen uses the same %s as the service: %i', (name, value) => {
  expect(domain).toHaveProperty(name, value);
});

test('the settings screen has rules to compare', () => expect(Object.keys(screen)).toContain('MAX_NAME_LENGTH'));

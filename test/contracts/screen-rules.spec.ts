import { expect, test } from '@jest/globals';
import * as domain from '../../src/domain/keys/key-rules.js';
import * as screen from '../../web/src/rules.js';

test.each(Object.entries(screen))('the settings screen has %s as the service has it: %i', (name, value) => {
  expect(domain).toHaveProperty(name, value);
});

test('the settings screen has rules to compare', () => expect(Object.keys(screen)).toContain('EXPIRES_SOON_DAYS'));

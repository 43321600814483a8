import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';

describe('HAProxy before a backend', () => {
  guarantees({
    files: ['haproxy.cfg', 'latchkey.lua'],
    command: (file) => ['haproxy', '-db', '-f', file],
  });
});

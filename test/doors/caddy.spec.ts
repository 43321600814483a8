import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';

describe('Caddy before a backend', () => {
  guarantees({ files: ['Caddyfile'], command: (file) => ['caddy', 'run', '--config', file] });
});

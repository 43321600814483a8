import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { CADDY } from './recipes.js';

describe('Caddy before a backend', () => guarantees(CADDY));

import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { HAPROXY } from './recipes.js';

describe('HAProxy before a backend', () => guarantees(HAPROXY));

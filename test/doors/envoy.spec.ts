import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { ENVOY_FIRST_HOP } from './recipes.js';

describe('Envoy before a backend', () => guarantees(ENVOY_FIRST_HOP));

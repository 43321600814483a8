import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { HAPROXY, withUserTokens } from './recipes.js';

describe.each([HAPROXY, withUserTokens(HAPROXY)])('$name before a backend', (recipe) => guarantees(recipe));

import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { CADDY, withUserTokens } from './recipes.js';

describe.each([CADDY, withUserTokens(CADDY)])('$name before a backend', (recipe) => guarantees(recipe));

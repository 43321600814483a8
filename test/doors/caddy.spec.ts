import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { withUserSessions, CADDY } from './recipes.js';

describe.each([CADDY, withUserSessions(CADDY)])('$name before a backend', (recipe) => guarantees(recipe));

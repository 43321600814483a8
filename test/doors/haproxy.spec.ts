import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { withUserSessions, HAPROXY } from './recipes.js';

describe.each([HAPROXY, withUserSessions(HAPROXY)])('$name before a backend', (recipe) => guarantees(recipe));

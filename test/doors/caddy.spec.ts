import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { besideUsers, CADDY } from './recipes.js';

describe.each([CADDY, besideUsers(CADDY)])('$name before a backend', (recipe) => guarantees(recipe));

import { describe } from '@jest/globals';
import { guarantees } from './guarantees.js';
import { besideUsers, HAPROXY } from './recipes.js';

describe.each([HAPROXY, besideUsers(HAPROXY)])('$name before a backend', (recipe) => guarantees(recipe));

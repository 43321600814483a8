import { describe, expect, test } from '@jest/globals';
import { snippetOf } from '../support/reading/pages.js';
import { guarantees } from './guarantees.js';
import { recipeText } from './recipe.js';
import { NGINX, withUserTokens } from './recipes.js';

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

describe.each([NGINX, withUserTokens(NGINX)])('$name before a backend', (recipe) => guarantees(recipe));

describe('deploy/forward-auth/nginx.conf', () => {
  test('contains the lines that README shows', () => {
    const rest = linesOf(recipeText('nginx.conf'));
    for (const line of linesOf(snippetOf('README.md', 'One proxy', 'nginx'))) {
      expect(rest).toContain(line);
      rest.splice(0, rest.indexOf(line) + 1);
    }
  });
});

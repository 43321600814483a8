import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { snippetOf } from '../support/pages.js';
import { guarantees } from './guarantees.js';
import { recipeText } from './recipe.js';

/** The recipe is a file of conf.d; around it is what a distribution's nginx.conf has. */
function nginx(file: string, folder: string): [string, ...string[]] {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/temp;`);
  const http = ['access_log off;', ...temp, `include ${file};`].join('\n');
  const settings = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;`;
  writeFileSync(join(folder, 'main.conf'), `${settings}\nevents {}\nhttp {\n${http}\n}\n`);
  return ['nginx', '-p', folder, '-c', join(folder, 'main.conf'), '-e', 'stderr'];
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

describe('nginx before a backend', () => {
  guarantees({ files: ['nginx.conf'], command: nginx });

  test('is configured as README shows an excerpt of', () => {
    const rest = linesOf(recipeText('nginx.conf'));
    for (const line of linesOf(snippetOf('README.md', 'One proxy', 'nginx'))) {
      expect(rest).toContain(line);
      rest.splice(0, rest.indexOf(line) + 1);
    }
  });
});

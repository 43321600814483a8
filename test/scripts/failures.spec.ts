import { expect, test } from '@jest/globals';
import { excerptOf } from '../../scripts/testing/failures.mjs';

const failure = (suite: number) => ({
  where: `FAILED test/suite-${suite}.spec.ts`,
  text: [1, 2]
    .map((each) => `  ● suite ${suite} › test ${each}\n\n${`    expected \u001b[31mthis\u001b[39m\n`.repeat(40)}`)
    .join('\n'),
});

test('the end of the output of a CI shows 15 lines of each failed test, without colours', () => {
  const lines = excerptOf([failure(1)], 4000).split('\n');
  expect(lines.slice(0, 3)).toEqual(['FAILED test/suite-1.spec.ts', '  ● suite 1 › test 1', '    expected this']);
  expect(lines).toHaveLength(1 + 2 * 15);
});

test('the end of the output of a CI names every failed test, and has fewer lines of each where there are many', () => {
  const suites = Array.from({ length: 30 }, (_, index) => failure(index));
  const text = excerptOf([...suites, { where: 'coverage too low' }], 4000);
  expect(text.length).toBeLessThanOrEqual(4000);
  for (const { where } of suites) expect(text).toContain(`${where}\n`);
  expect(text.match(/ › test \d/g)).toHaveLength(60);
  expect(text).toMatch(/coverage too low$/);
  expect(excerptOf([...suites, ...suites], 4000)).toMatch(/\n… and more, which stands above$/);
});

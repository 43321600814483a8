import { expect, test } from '@jest/globals';
import { textOf } from '../support/reading/pages.js';

test('the page on high availability shows the shipped file for HAProxy, which the long suites run', () => {
  expect(textOf('docs/high-availability.md')).toContain(`\`\`\`\n${textOf('deploy/patroni/haproxy.cfg')}\`\`\`\n`);
});

import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { runCommand } from '../support/processes/command-line.js';

const JEST = join(root, 'node_modules/jest/bin/jest.js');
const TIMEOUT_MS = 1_200_000;

test(
  'all contracts and all suites of the PostgreSQL adapters pass through PgBouncer',
  async () => {
    const suites = ['test/contracts', 'src/infrastructure/outbound/postgres'];
    const flags = ['--experimental-vm-modules', '--no-warnings', '--no-allocation-site-pretenuring'];
    const { code, err } = await runCommand(process.execPath, [...flags, JEST, '-w', '1', ...suites], {
      env: { LATCHKEY_TEST_POOLED: '1' },
    });
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  },
  TIMEOUT_MS,
);

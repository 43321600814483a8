import { common } from './jest.config.js';

/**
 * Jest as `npm run mutate` has Stryker run it, once for every change: only the specs that are to notice. Stryker puts its
 * own environment around Node's, and can't load ours.
 * @type {import('jest').Config}
 */
export default {
  ...common,
  testMatch: [`<rootDir>/${process.env['MUTATION_SPECS']}`],
  testEnvironment: 'node',
};

import jest from './jest.config.js';

/**
 * Jest as scripts/mutate.mjs has Stryker run it, once for every change: only the specs that are to notice, and no
 * stores, for these specs run on fakes.
 * @type {import('jest').Config}
 */
export default {
  ...jest,
  testMatch: (process.env['MUTATION_SPECS'] ?? '').split(',').map((spec) => `<rootDir>/${spec}`),
  globalSetup: null,
  globalTeardown: null,
};

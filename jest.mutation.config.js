import jest from './jest.config.js';

/**
 * Jest as scripts/mutate.mjs has Stryker run it, once for every change: only the specs that are to notice, and no
 * stores, for these specs run on fakes. Stryker puts its own environment around Node's, and can't load one of ours.
 * @type {import('jest').Config}
 */
export default {
  ...jest,
  testMatch: (process.env['MUTATION_SPECS'] ?? '').split(',').map((spec) => `<rootDir>/${spec}`),
  testEnvironment: 'node',
  globalSetup: null,
  globalTeardown: null,
};

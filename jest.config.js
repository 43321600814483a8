const isLong = process.env.LATCHKEY_LONG === '1';
// A promise that only a long or quiet run can show has a spec of its own, for `npm run test:long`.
const specs = isLong ? '**/*.spec.ts' : '**/!(*.long).spec.ts';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  // On two cores: suites wait for processes, pages and commits for much of their time, which two more workers use.
  maxWorkers: 4,
  testMatch: [
    `<rootDir>/src/${specs}`,
    `<rootDir>/test/${specs}`,
    `<rootDir>/clients/node/src/${specs}`,
    `<rootDir>/examples/systems-api/src/${specs}`,
  ],
  // Only a test that hangs comes this far: that a machine is slow is no fault. In the long form servers are started and
  // killed hundreds of times.
  testTimeout: isLong ? 3_600_000 : 300_000,
  testSequencer: '<rootDir>/test/support/jest/longest-first.mjs',
  globalSetup: '<rootDir>/test/support/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.mjs',
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Used by `npm test` without arguments: the rules of the house are to be covered, adapters prove themselves otherwise.
  collectCoverageFrom: ['src/domain/**/*.ts', 'src/application/**/*.ts'],
  coverageReporters: [['text', { skipFull: true }]],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
  moduleNameMapper: {
    '^@latchkey/guard$': '<rootDir>/clients/node/src/index.ts',
    '^#test/(.*?)(\\.js)?$': '<rootDir>/test/$1',
    '^#(domain|application|infrastructure|config|composition)/(.*)\\.js$': '<rootDir>/src/$1/$2',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

const isLong = process.env.LATCHKEY_LONG === '1';
// A promise that only a long or quiet run can show has a spec of its own, for `npm run test:long`.
const specs = isLong ? '**/*.spec.{ts,tsx}' : '**/!(*.long).spec.{ts,tsx}';

/**
 * The suites that only a CI runs, so that people have an answer within minutes: attacks, races between instances, second
 * servers, further proxies and long tables. Each entry is a pattern of how their paths begin.
 */
const ofCi = [
  'test/api/(account-limits|refused-calls-log)',
  'test/attacks/',
  'test/cli/audit',
  'test/conformance/(credentials|judgement)',
  'test/contracts/redis-',
  'test/deploy/(key-rotation|operations)',
  'test/docs/secret-scanning',
  'test/doors/(?!any-|edges|envoy\\.|forward|keys-nginx|nginx)',
  'test/failover/',
  'test/faults/(?!first-start|kill|postgres\\.)',
  'test/leases/processes/',
  'test/packages/',
  'test/workers/',
  'src/infrastructure/outbound/memory/',
  'src/infrastructure/outbound/postgres/client/(database|standby)\\.',
  'src/infrastructure/outbound/postgres/keys/(instances|locked-keys)',
  'src/infrastructure/outbound/postgres/migrations/migrate\\.',
  'src/infrastructure/outbound/postgres/sign-in/',
  'src/infrastructure/outbound/postgres/transaction/concurrent-',
  'src/infrastructure/outbound/postgres/usage/usage-over-time',
];

/** Set by scripts/testing/jest.mjs: folders of test/, by commas, and whether the suites of a CI run, too. */
const { LATCHKEY_TESTS_WITHOUT: without = '', LATCHKEY_TESTS_OF_CI: areOfCi } = process.env;
const namedFolders = without.split(',').filter((name) => name !== '');
const leftOut = [...namedFolders.map((name) => `test/${name}/`), ...(areOfCi === 'off' ? ofCi : [])];
const ignored = ['/node_modules/', ...leftOut.map((path) => `<rootDir>/${path}`)];

/**
 * @param {boolean} tsx
 * @returns {[string, object]}
 */
const swc = (tsx) => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true, tsx },
      transform: { legacyDecorator: true, decoratorMetadata: true, react: { runtime: 'automatic' } },
      keepClassNames: true,
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
];

/** @type {import('jest').Config} */
export const common = {
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: ignored,
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '^.+\\.ts$': swc(false), '^.+\\.tsx$': swc(true) },
  moduleNameMapper: {
    '\\.css$': '<rootDir>/web/test/support/css.mjs',
    '^@latchkey/guard$': '<rootDir>/clients/node/src/index.ts',
    '^#test/(.*?)(\\.js)?$': '<rootDir>/test/$1',
    '^#(domain|application|infrastructure|config|composition)/(.*)\\.js$': '<rootDir>/src/$1/$2',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

/**
 * The kinds of tests, by their folders. `unit` runs code alone, and nothing is started for it. `integration` runs adapters
 * and doors on PostgreSQL and Redis. `system` runs what people run: the built service, pages, proxies, commands, scripts.
 */
const unit = ['src/domain', 'src/application', 'src/config', 'clients/node/src', 'web/test'];
const integration = ['src/infrastructure', 'src/composition', 'examples', 'test/api', 'test/contracts', 'test/migrate'];

/** @type {import('jest').Config} */
const onStores = {
  ...common,
  globalSetup: '<rootDir>/test/support/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.mjs',
};

/** The page in which components are tested. Only specs that name `page-environment.mjs` have one. */
const page = {
  url: 'https://keys.example.com/settings/api-keys',
  customExportConditions: ['node', 'node-addons'],
  settings: { device: { prefersReducedMotion: 'reduce' } },
};

/** @param {readonly string[]} folders */
const within = (folders) => folders.map((folder) => `<rootDir>/${folder}/${specs}`);

/** @type {import('jest').Config} */
export default {
  // On two cores: suites wait for processes, pages and commits for much of their time, which two more workers use.
  maxWorkers: 4,
  // A suite leaves something behind in its worker, which makes the next ones slower. Beyond this it gets a new one.
  workerIdleMemoryLimit: '300MB',
  // Only a test that hangs comes this far: that a machine is slow is no fault. In the long form servers are started and
  // killed hundreds of times.
  testTimeout: isLong ? 3_600_000 : 300_000,
  testSequencer: '<rootDir>/test/support/jest/longest-first.mjs',
  collectCoverageFrom: ['src/{domain,application}/**/!(*.spec).ts'],
  coverageReporters: [['text', { skipFull: true }]],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
  projects: [
    { ...common, displayName: 'unit', testMatch: within(unit), testEnvironmentOptions: page },
    { ...onStores, displayName: 'integration', testMatch: within(integration) },
    {
      ...onStores,
      displayName: 'system',
      testMatch: within(['test']),
      testPathIgnorePatterns: [...ignored, ...integration.map((folder) => `<rootDir>/${folder}/`)],
    },
  ],
};

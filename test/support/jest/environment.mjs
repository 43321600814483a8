import { appendFileSync } from 'node:fs';
import { TestEnvironment } from 'jest-environment-node';

/** Node's environment, in which a suite can load a large package without state once for all suites of a worker. */
export default class Environment extends TestEnvironment {
  /** Milliseconds of this suite by what they went to, for `npm test -- --profile`. */
  spent = { path: '', load: 0, setUp: 0, tests: 0, cpu: 0 };
  since = 0;
  cpu = process.cpuUsage();

  /**
   * @param {import('@jest/environment').JestEnvironmentConfig} config
   * @param {import('@jest/environment').EnvironmentContext} context
   */
  constructor(config, context) {
    super(config, context);
    this.spent.path = context.testPath;
  }

  /** @override */
  async setup() {
    await super.setup();
    this.global['latchkeyLoadOnce'] = (/** @type {string} */ name) => import(name);
    this.since = performance.now();
  }

  /** @param {{ name: string }} event */
  handleTestEvent({ name }) {
    // The modules of a suite are loaded until its first event of a run.
    if (name === 'run_start') this.spent.load = performance.now() - this.since;
    if (name === 'hook_start' || name === 'test_fn_start') this.since = performance.now();
    if (/^hook_(success|failure)$/.test(name)) this.spent.setUp += performance.now() - this.since;
    if (/^test_fn_(success|failure)$/.test(name)) this.spent.tests += performance.now() - this.since;
  }

  /** @override */
  async teardown() {
    const file = process.env['LATCHKEY_TEST_PROFILE'];
    const { user, system } = process.cpuUsage(this.cpu);
    this.spent.cpu = (user + system) / 1000;
    if (file) appendFileSync(file, `${JSON.stringify(this.spent)}\n`);
    await super.teardown();
  }
}

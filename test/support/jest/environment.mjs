import { TestEnvironment } from 'jest-environment-node';

/** Node's environment, in which a suite can load a package once for all suites: see load-once.ts. */
export default class Environment extends TestEnvironment {
  /** @override */
  async setup() {
    await super.setup();
    this.global['latchkeyLoadOnce'] = (/** @type {string} */ name) => import(name);
  }
}

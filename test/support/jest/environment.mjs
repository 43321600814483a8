import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

/** @type {Set<AsyncLocalStorage<unknown>>} */
const used = new Set();
const { run } = AsyncLocalStorage.prototype;
/** @param {Parameters<typeof run>} args */
AsyncLocalStorage.prototype.run = function recorded(...args) {
  used.add(this);
  return Reflect.apply(run, this, args);
};

/**
 * Node's environment, which also cleans up after a suite: Jest makes an `AsyncLocalStorage` for each suite and never
 * disables it, and up to Node 23 each of them makes every later promise of the same process slower.
 */
export default class Environment extends TestEnvironment {
  /** @override */
  async setup() {
    await super.setup();
    // See load-once.ts.
    this.global['latchkeyLoadOnce'] = (/** @type {string} */ name) => import(name);
  }

  /** @override */
  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
  }
}

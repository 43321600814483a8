import HappyDom from '@happy-dom/jest-environment';

/**
 * The DOM in which components are tested. The package writes a stack trace of a hundred frames at each `setTimeout`, to
 * recognize a runner that we do not use. This was a fifth of the work of these tests.
 */
export default class PageEnvironment extends HappyDom {
  /**
   * @param {import('@jest/environment').JestEnvironmentConfig} config
   * @param {import('@jest/environment').EnvironmentContext} context
   */
  constructor(config, context) {
    super(config, context);
    this.global.setTimeout = Object.getPrototypeOf(this.window).setTimeout.bind(this.window);
  }
}

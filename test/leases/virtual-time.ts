/** True time, in milliseconds, which passes only from one step to the next. */
export class VirtualTime {
  now = 0;
  private steps: { readonly at: number; readonly run: () => void }[] = [];

  at(ms: number, run: () => void): void {
    this.steps.push({ at: Math.max(ms, this.now), run });
  }

  until(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(ms, resolve));
  }

  /** Runs all steps in their order, until none is left. */
  async run(): Promise<void> {
    while (this.steps.length > 0) {
      const next = this.steps.reduce((first, each) => (each.at < first.at ? each : first));
      this.steps = this.steps.filter((each) => each !== next);
      this.now = next.at;
      next.run();
      // All promises that the step resolved have been handled after this.
      await new Promise(setImmediate);
    }
  }
}

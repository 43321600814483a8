/**
 * Holds requests that found the session ended, until the person has signed in again or given up. The person is asked
 * only once, regardless of the number of waiting requests.
 */
export class SessionGate {
  private waiting: { promise: Promise<boolean>; settle: (signedIn: boolean) => void } | undefined;
  private readonly listeners = new Set<() => void>();
  private isHeld = false;

  /** Until the result is called, nobody is asked: who gives up would lose what is on the screen. */
  readonly hold = (): (() => void) => {
    this.isHeld = true;
    return () => (this.isHeld = false);
  };

  readonly signInAgain = async (): Promise<boolean> => {
    if (this.isHeld) return false;
    if (!this.waiting) {
      let settle!: (signedIn: boolean) => void;
      const promise = new Promise<boolean>((resolve) => (settle = resolve));
      this.waiting = { promise, settle };
      this.notify();
    }
    return this.waiting.promise;
  };

  readonly settle = (signedIn: boolean): void => {
    this.waiting?.settle(signedIn);
    this.waiting = undefined;
    this.notify();
  };

  readonly isAsking = (): boolean => this.waiting !== undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

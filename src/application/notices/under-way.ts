/** Work that the end of the service waits for, and not for long. */
export class UnderWay {
  private readonly cutOffs = new Set<() => void>();
  private isOver = false;

  /** @param graceMs from the end of the service until what is under way is cut off */
  constructor(private readonly graceMs: number) {}

  /** From then on nothing is to be begun. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Answers `done`, the error, or `cut-off` where the service ended first; the work is left to itself then. */
  track(work: Promise<void>): Promise<'done' | 'cut-off' | Error> {
    return new Promise((resolve) => {
      const cutOff = () => resolve('cut-off');
      this.cutOffs.add(cutOff);
      const settle = (answer: 'done' | Error) => {
        this.cutOffs.delete(cutOff);
        resolve(answer);
      };
      work.then(
        () => settle('done'),
        (error: Error) => settle(error),
      );
    });
  }

  end(): void {
    this.isOver = true;
    setTimeout(() => this.cutOffs.forEach((cutOff) => cutOff()), this.graceMs).unref();
  }
}

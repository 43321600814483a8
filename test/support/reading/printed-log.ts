import { jest } from '@jest/globals';

export type Entry = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

/** Captures what this process prints to standard output from now on, such as the log of a service in it. */
export class PrintedLog {
  text = '';
  private readonly spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    this.text += String(line);
    return true;
  });

  entries(): Entry[] {
    return this.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Entry);
  }

  /** The lines with this message. */
  named(message: string): Entry[] {
    return this.entries().filter(({ msg }) => msg === message);
  }

  stop(): void {
    this.spy.mockRestore();
  }
}

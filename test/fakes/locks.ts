/** Rows that one transaction at a time holds. Those that wait for one get it in the order in which they asked. */
export class Locks {
  private readonly lastInLine = new Map<string, Promise<void>>();

  isHeld(row: string): boolean {
    return this.lastInLine.has(row);
  }

  /** Answers once the row is free how to let go of it again. */
  async take(row: string): Promise<() => void> {
    const before = this.lastInLine.get(row);
    let free!: () => void;
    const mine = new Promise<void>((resolve) => (free = resolve));
    this.lastInLine.set(row, mine);
    await before;
    return () => {
      if (this.lastInLine.get(row) === mine) this.lastInLine.delete(row);
      free();
    };
  }

  async holding<T>(row: string, work: () => T): Promise<T> {
    const letGo = await this.take(row);
    try {
      return work();
    } finally {
      letGo();
    }
  }
}

export const accountRow = (id: string) => `account ${id}`;
export const emailRow = (emailKey: string) => `email ${emailKey}`;
export const keyRow = (id: string) => `key ${id}`;

/** Who waits, by name: each name in turn is served its first, however many another name has brought. */
export class FairQueue<T> {
  /** In the order of their turns. */
  private readonly byName = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(name: string, one: T): void {
    const line = this.byName.get(name);
    if (line) line.push(one);
    else this.byName.set(name, [one]);
    this.count += 1;
  }

  /** The first of the name whose turn it is. */
  first(): T | undefined {
    for (const [next] of this.byName.values()) return next;
    return undefined;
  }

  shift(): T | undefined {
    for (const [name, line] of this.byName) {
      const next = line.shift();
      this.byName.delete(name);
      if (line.length > 0) this.byName.set(name, line);
      this.count -= 1;
      return next;
    }
    return undefined;
  }

  /** Takes out the last of the name that has the most waiting, of this one where no other has more. */
  dropFor(name: string): T | undefined {
    let most = name;
    for (const other of this.byName.keys()) if (this.lengthOf(other) > this.lengthOf(most)) most = other;
    const dropped = this.byName.get(most)?.pop();
    if (this.lengthOf(most) === 0) this.byName.delete(most);
    if (dropped !== undefined) this.count -= 1;
    return dropped;
  }

  /** Whether one more of this name would be dropped for its own name, not for another one. */
  isDroppedFirst(name: string): boolean {
    const length = this.lengthOf(name) + 1;
    return [...this.byName.keys()].every((other) => this.lengthOf(other) <= length);
  }

  private lengthOf(name: string): number {
    return this.byName.get(name)?.length ?? 0;
  }
}

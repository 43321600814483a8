/** A queue that serves names in turn, one entry each, however many entries another name has added. */
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

  /** The first entry of the name whose turn it is. */
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

  /** Removes the last entry of the name with the most entries; of the given name if no other has more. */
  dropFor(name: string): T | undefined {
    let most = name;
    for (const other of this.byName.keys()) if (this.lengthOf(other) > this.lengthOf(most)) most = other;
    const dropped = this.byName.get(most)?.pop();
    if (this.lengthOf(most) === 0) this.byName.delete(most);
    if (dropped !== undefined) this.count -= 1;
    return dropped;
  }

  /** Whether one more entry of this name would itself be dropped, rather than one of another name. */
  isDroppedFirst(name: string): boolean {
    const length = this.lengthOf(name) + 1;
    return [...this.byName.keys()].every((other) => this.lengthOf(other) <= length);
  }

  private lengthOf(name: string): number {
    return this.byName.get(name)?.length ?? 0;
  }
}

/** The map is copied after this many removals, but not before as many entries were removed as remain. */
const removalsBeforeCopy = 128;

/**
 * A Map for entries that come and go for as long as the process lives. A plain Map gets a new internal table from time
 * to time, and V8 allocates it in the same generation as the old one. Once that is the old generation, removed entries
 * stay in memory until the next full garbage collection. This map copies itself into a new Map instead, about once in a
 * hundred removals.
 */
export class PassingMap<Key, Value> {
  private entries = new Map<Key, Value>();
  private removals = 0;

  get size(): number {
    return this.entries.size;
  }

  set(key: Key, value: Value): void {
    this.entries.set(key, value);
  }

  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  has(key: Key): boolean {
    return this.entries.has(key);
  }

  delete(key: Key): void {
    if (!this.entries.delete(key)) return;
    this.removals += 1;
    if (this.removals < removalsBeforeCopy || this.removals < this.entries.size) return;
    this.removals = 0;
    this.entries = new Map(this.entries);
  }

  /** In the order of insertion. A value that is removed during the iteration may still be returned. */
  values(): Iterable<Value> {
    return this.entries.values();
  }
}

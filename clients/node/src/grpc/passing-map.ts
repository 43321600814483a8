/** Entries gone by which a map is made anew, at least: then it is most of those that it had room for. */
const gone = 128;

/**
 * A Map for entries that come and go for as long as the process lives. A Map as such takes a new table now and then, and
 * V8 makes it where the one before was: once that is the old generation, what has left the map stays in memory until the
 * next full collection. This one begins anew instead, in about one of a hundred removals.
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
    if (this.removals < gone || this.removals < this.entries.size) return;
    this.removals = 0;
    this.entries = new Map(this.entries);
  }

  /** In the order in which they came. What is removed meanwhile may still be among them. */
  values(): Iterable<Value> {
    return this.entries.values();
  }
}

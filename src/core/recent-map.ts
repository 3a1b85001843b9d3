// A map that keeps the entries that were set last, and pure functions of a text that keep their last results.

/** Keeps at most `maxEntries`: setting a key makes it the newest, and the oldest one is dropped. */
export class RecentMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.#maxEntries && oldest !== undefined) this.delete(oldest);
    return this;
  }
}

/** The same function, which keeps the results of the `most` texts that it read last. For pure functions only. */
export function remembering<V>(read: (text: string) => V, most: number): (text: string) => V {
  const known = new RecentMap<string, { value: V }>(most);
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.value;
    const value = read(text);
    known.set(text, { value });
    return value;
  };
}

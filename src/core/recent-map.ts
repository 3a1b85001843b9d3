// A map that keeps the entries that were set last.

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

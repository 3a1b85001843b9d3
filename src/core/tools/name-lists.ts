// Lists of names in one text, separated by white space, as sets and maps.

export function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/));
}

/** A map from each name to the key of its list. */
export function byName<K extends string>(lists: Readonly<Record<K, string>>): ReadonlyMap<string, K> {
  const keys = Object.keys(lists) as K[];
  return new Map(keys.flatMap((key) => lists[key].split(/\s+/).map((name): [string, K] => [name, key])));
}

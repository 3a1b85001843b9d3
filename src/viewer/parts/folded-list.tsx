// A short list that shows its first entries, and the others on demand. An entry stays while its form is open.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

type Key = string | number;

interface FoldedListProps<T> {
  items: readonly T[];
  keyOf(item: T): Key;
  row(item: T, place: ListPlace): ComponentChildren;
  /** Shown instead of an empty list. */
  empty: string;
  /** How many are shown while it is folded; one more is not worth folding. */
  folded?: number;
}

/** What an entry and its list tell each other. */
export interface ListPlace {
  /** True when it left the list while its form was open. */
  isGone: boolean;
  /** Called when its form is opened or closed. */
  onForm(isOpen: boolean): void;
}

export function FoldedList<T>({ items, keyOf, row, empty, folded = 4 }: FoldedListProps<T>) {
  const [isOpen, setIsOpen] = useState(false);
  const [edited, setEdited] = useState<ReadonlySet<Key>>(new Set());
  const before = useRef<readonly T[]>([]);
  const isWhole = isOpen || items.length === folded + 1;
  const isEdited = (item: T) => edited.has(keyOf(item));
  const there = new Set(items.map(keyOf));
  const shown = withEdited(
    items.filter((item, at) => isWhole || at < folded || isEdited(item)),
    before.current,
    { keyOf, stays: (item) => isEdited(item) && !there.has(keyOf(item)) },
  );
  before.current = shown;
  function mark(key: Key, isEditing: boolean): void {
    setEdited((now) => new Set(isEditing ? [...now, key] : [...now].filter((each) => each !== key)));
  }
  if (shown.length === 0) return <p class="quiet panel-row">{empty}</p>;
  return (
    <>
      <ul class="panel-list">
        {shown.map((item) => {
          const key = keyOf(item);
          const place = { isGone: !there.has(key), onForm: (is: boolean) => mark(key, is) };
          return <li key={key}>{row(item, place)}</li>;
        })}
      </ul>
      {items.length > folded + 1 && (
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Show fewer" : `Show all ${items.length}`}
        </button>
      )}
    </>
  );
}

/** `shown` with the entries of the list before that stay, each below the one that it stood below. */
function withEdited<T>(
  shown: readonly T[],
  before: readonly T[],
  { keyOf, stays }: { keyOf(item: T): Key; stays(item: T): boolean },
): readonly T[] {
  const list = [...shown];
  for (const [at, item] of before.entries()) {
    if (!stays(item)) continue;
    const above = new Set(before.slice(0, at).map(keyOf));
    list.splice(list.findLastIndex((other) => above.has(keyOf(other))) + 1, 0, item);
  }
  return list;
}

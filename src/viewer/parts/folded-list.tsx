// A short list that shows its first entries, and the others on demand.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { hasUnsaved, leaveUnsaved } from "../unsaved.ts";

interface FoldedListProps<T> {
  items: readonly T[];
  keyOf(item: T): string | number;
  row(item: T): ComponentChildren;
  /** Shown instead of an empty list. */
  empty: string;
}

const folded = 4;

export function FoldedList<T>({ items, keyOf, row, empty }: FoldedListProps<T>) {
  const [isOpen, setIsOpen] = useState(false);
  const before = useRef<ReadonlySet<string | number>>(new Set());
  if (items.length === 0) return <p class="quiet panel-row">{empty}</p>;
  const toggle = () => setIsOpen(!isOpen);
  const isWhole = isOpen || items.length === folded + 1;
  // An entry that is being edited stays, however many come in above it.
  const stays = (item: T) => hasUnsaved() && before.current.has(keyOf(item));
  const shown = items.filter((item, at) => isWhole || at < folded || stays(item));
  before.current = new Set(shown.map(keyOf));
  return (
    <>
      <ul class="panel-list">
        {shown.map((item) => (
          <li key={keyOf(item)}>{row(item)}</li>
        ))}
      </ul>
      {items.length > folded + 1 && (
        <button
          type="button"
          class="link"
          aria-expanded={isOpen}
          onClick={() => (isOpen ? leaveUnsaved(toggle) : toggle())}
        >
          {isOpen ? "Show fewer" : `Show all ${items.length}`}
        </button>
      )}
    </>
  );
}

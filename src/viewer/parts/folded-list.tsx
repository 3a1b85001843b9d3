// A short list that shows its first entries, and the others on demand.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { leaveUnsaved } from "../unsaved.ts";

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
  if (items.length === 0) return <p class="quiet panel-row">{empty}</p>;
  const toggle = () => setIsOpen(!isOpen);
  const shown = isOpen || items.length === folded + 1 ? items : items.slice(0, folded);
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

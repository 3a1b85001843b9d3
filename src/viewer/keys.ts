// The keyboard: keys of the present page over keys of the viewer, sequences such as `g h`, rows with `j` and `k`.
import { useLayoutEffect, useRef } from "preact/hooks";
import { createObservable, type Observable } from "./observable.ts";

/** One key, or two in sequence as `g h`, and what it does in words for the help. */
export interface KeyBinding {
  keys: string;
  what: string;
  /** Without it the binding always works. */
  when?(): boolean;
  run(): void;
}

/** Active bindings; the present page comes last. */
export const activeKeys: Observable<readonly KeyBinding[]> = createObservable<readonly KeyBinding[]>([]);

/** Activates `bindings` while the component is shown. A later component wins where two have the same keys. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  const names = bindings.map(({ keys }) => keys).join();
  // Before the page is painted: a key pressed right after must not be lost.
  useLayoutEffect(() => {
    const added = bindings.map(({ keys, what, when }) => ({
      keys,
      what,
      ...(when && { when }),
      run: () => latest.current.find((binding) => binding.keys === keys)?.run(),
    }));
    activeKeys.set([...activeKeys.get(), ...added]);
    return () => activeKeys.set(activeKeys.get().filter((binding) => !added.includes(binding)));
  }, [names]);
}

const sequenceMs = 1_000;

/** Listens to the keyboard of the whole page; returns the function that stops it. */
export function listenToKeys(): () => void {
  let first = "";
  let firstAt = 0;
  function pressed(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Escape" && isTyping(event.target)) return;
    const sequence = event.timeStamp - firstAt < sequenceMs ? `${first} ${event.key}` : "";
    const binding = bindingOf(sequence) ?? bindingOf(event.key);
    [first, firstAt] = [event.key, event.timeStamp];
    if (binding === undefined) return;
    event.preventDefault();
    first = "";
    binding.run();
  }
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

/** Moves the focus to the next row, or the one before; without a focused row to the first one on the screen. */
export function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = at < 0 ? rows.find((row) => row.getBoundingClientRect().top >= headerHeight) : rows[at + step];
  next?.focus();
}

// Rows above it are scrolled away or covered by the header.
const headerHeight = 56;

function bindingOf(keys: string): KeyBinding | undefined {
  return activeKeys.get().findLast((binding) => binding.keys === keys && binding.when?.() !== false);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable=true]");
}

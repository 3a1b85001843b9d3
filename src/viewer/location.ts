// The present address of the page.
import { linkTo, type Place, parsePlace } from "./links.ts";
import { createObservable, useValue } from "./observable.ts";
import { hasUnsaved, leaveUnsaved } from "./unsaved.ts";

/** Goes to `link`, after a question when text would be lost. With `replace`, the step back skips the present place. */
export function go(link: string, { replace = false } = {}): void {
  leaveUnsaved(() => {
    if (!replace) location.hash = link;
    else {
      history.replaceState(history.state, "", link);
      hash.set(link);
    }
  });
}

/** Goes back to the page of the viewer before this one, or Home when it was opened directly. */
export function goBack(): void {
  if (visited > 0) history.back();
  else go(linkTo("/"), { replace: true });
}

/** What an entry of the history keeps until the reader comes back to it. */
export interface Entry {
  /** Its place in the history. */
  readonly step: number;
  /** Pixels that were scrolled away. */
  top: number;
  /** The first row on the screen, by key, and its place in the list. */
  row?: { key: string; at: number } | undefined;
  /** Records that a search showed. */
  limit?: number;
}

/** The present entry of the history. */
export function presentEntry(): Entry {
  return present;
}

const entries = new Map<number, Entry>();
// Entries of an earlier load of the page have other numbers.
let newest = performance.timeOrigin;
let present = enter(0);

// A step back finds the number of its entry; a new entry has none yet. The step is known after a reload too.
function enter(stepOfNew: number): Entry {
  const { number, step = stepOfNew } = (history.state ?? {}) as { number?: number; step?: number };
  const known = number === undefined ? undefined : entries.get(number);
  if (known !== undefined) return known;
  newest += 1;
  history.replaceState({ number: newest, step }, "");
  const entry = { step, top: 0 };
  entries.set(newest, entry);
  return entry;
}

let visited = 0;
const hash = createObservable(location.hash);
addEventListener("hashchange", () => {
  const next = enter(present.step + 1);
  // Back from where the reader was not let go.
  if (next === present) return;
  if (hasUnsaved()) {
    // Never 0, which would load the page again.
    const steps = next.step - present.step || 1;
    history.go(-steps);
    leaveUnsaved(() => history.go(steps));
    return;
  }
  visited += 1;
  // The page before is still shown.
  present.top = document.querySelector("main")?.scrollTop ?? 0;
  present = next;
  hash.set(location.hash);
});

/** The place that the address bar shows. Components render it later: use this where an event needs the present one. */
export function presentPlace(): Place {
  return parsePlace(location.hash);
}

/** The present place; the component renders again when it changes. */
export function usePlace(): Place {
  return parsePlace(useValue(hash));
}

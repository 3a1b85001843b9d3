// The present address of the page.
import { type Place, parsePlace } from "./links.ts";
import { createObservable, useValue } from "./observable.ts";

/** Goes to `link`. With `replace`, the step back skips the present place. */
export function go(link: string, { replace = false } = {}): void {
  if (!replace) location.hash = link;
  else {
    history.replaceState(history.state, "", link);
    hash.set(link);
  }
}

const hash = createObservable(location.hash);
addEventListener("hashchange", () => hash.set(location.hash));

/** The present place; the component renders again when it changes. */
export function usePlace(): Place {
  return parsePlace(useValue(hash));
}

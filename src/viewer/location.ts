// The present address of the page.
import { linkTo, type Place, parsePlace } from "./links.ts";
import { createObservable, useValue } from "./observable.ts";

/** Goes to `link`. With `replace`, the step back skips the present place. */
export function go(link: string, { replace = false } = {}): void {
  if (!replace) location.hash = link;
  else {
    history.replaceState(history.state, "", link);
    hash.set(link);
  }
}

/** Goes back to the page of the viewer before this one, or Home when it was opened directly. */
export function goBack(): void {
  if (visited > 0) history.back();
  else go(linkTo("/"), { replace: true });
}

let visited = 0;
const hash = createObservable(location.hash);
addEventListener("hashchange", () => {
  visited += 1;
  hash.set(location.hash);
});

/** The present place; the component renders again when it changes. */
export function usePlace(): Place {
  return parsePlace(useValue(hash));
}

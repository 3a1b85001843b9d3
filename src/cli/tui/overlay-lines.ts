// What covers the lists: a whole record, and the help.
import { type Binding, bindings, keyName, proposal, screensInWords } from "./bindings.ts";
import { layoutOf } from "./layout.ts";
import { cell, type Line, wrapHard } from "./lines.ts";
import { previewLines } from "./preview-lines.ts";
import type { Mode, State } from "./state.ts";
import { selectedRow } from "./views.ts";

type Overlay = Extract<Mode, { is: "reading" | "help" }>;

/** Rows that an overlay shows. */
export function overlayRows(state: State): number {
  return layoutOf(state.size).body;
}

/** All lines of an overlay; its scroll says which are seen. */
export function overlayLines(state: State, mode: Overlay): readonly Line[] {
  return mode.is === "help" ? helpLines(state) : readingLines(state);
}

// Longer lines are hard to read on a wide terminal.
const widestText = 100;

function readingLines(state: State): readonly Line[] {
  const row = selectedRow(state);
  const preview = row === undefined ? undefined : state.previews.get(row.key);
  if (preview === undefined) return [[[" Reading…", "dim"]]];
  const columns = Math.min(widestText, state.size.columns - 2);
  return previewLines(preview, columns).map((line) => [[" "], ...line]);
}

function helpLines(state: State): Line[] {
  const works = bindings.filter(
    ({ command, part, when }) =>
      !(state.feedOnly && ofScreens.has(command)) && (part !== proposal || when?.(state)),
  );
  const width = Math.max(...works.map(({ keys }) => keyNames(keys).length));
  const room = state.size.columns - width - 4;
  const rowsOf = ({ keys, what }: Binding): Line[] =>
    wrapHard(what, room).map(
      (text, at): Line => [[` ${cell(at === 0 ? keyNames(keys) : "", width)}  `, "cyan"], [text]],
    );
  const parts = new Set([undefined, ...works.map(({ part }) => part)]);
  const rows = [...parts].flatMap((part): Line[] => [
    [],
    ...(part === undefined ? [] : [[[` ${part}`, "bold"] as const]]),
    ...works.filter((each) => each.part === part).flatMap(rowsOf),
  ]);
  const screens: Line[] = state.feedOnly ? [] : [[[` Screens: ${screensInWords}.`, "dim"]]];
  return [[[" Keys", "bold"]], ...fieldLines(state), ...rows, [], ...screens];
}

function keyNames(keys: readonly string[]): string {
  return keys.map(keyName).join(", ");
}

function fieldLines({ feedOnly, size }: State): Line[] {
  if (feedOnly) return [];
  const text =
    "In the search field, letters are words. ↓ or Enter goes to the list, where they are these keys.";
  return wrapHard(text, size.columns - 2).map((line): Line => [[` ${line}`, "dim"]]);
}

const ofScreens: ReadonlySet<string> = new Set([
  "search",
  "filters",
  "next screen",
  "screen before",
  "retry",
  "retry one",
  "restore",
]);

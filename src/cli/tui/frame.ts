// The whole screen as lines: header, field, lists, status and keys. Pure.

import { displayWidth } from "../../text/terminal-text.ts";
import { bindings, keyName } from "./bindings.ts";
import { filterFields, filtersInWords } from "./filter-keys.ts";
import { isTooSmall, type Layout, least } from "./layout.ts";
import { cell, cutStart, fitLine, type Line, lineWidth, type Part, spread, wrapHard } from "./lines.ts";
import { listLines } from "./list-lines.ts";
import { overlayLines, overlayRows } from "./overlay-lines.ts";
import type { Cursor } from "./painter.ts";
import { previewLines } from "./preview-lines.ts";
import { knownRows } from "./row-window.ts";
import { isSearched } from "./search-field.ts";
import { type Source, type State, tabs, tabTitles, type View } from "./state.ts";
import { listLayout, mostNotes, selectedRow, shownView } from "./views.ts";

export interface Frame {
  /** As many as the terminal has rows, each in its full width. */
  lines: readonly Line[];
  cursor: Cursor | null;
}

/** The frame of a state. */
export function frameOf(state: State): Frame {
  if (isTooSmall(state.size)) return tooSmall(state);
  const { mode } = state;
  const field = fieldLine(state);
  const body = mode.is === "reading" || mode.is === "help" ? overlaid(state, mode) : bodyLines(state);
  const lines = [headerLine(state), field.line, ...body, statusLine(state), keysLine(state)];
  return { lines, cursor: field.cursor };
}

function tooSmall({ size }: State): Frame {
  const text = `Too small: mem needs ${least.columns}x${least.rows}, this is ${size.columns}x${size.rows}.`;
  const lines = wrapHard(text, size.columns).map((part) => fitLine([[part]], size.columns));
  const all = Array.from({ length: size.rows }, (_, at) => lines[at] ?? fitLine([], size.columns));
  return { lines: all, cursor: null };
}

function headerLine(state: State): Line {
  const { columns } = state.size;
  const titles: Part[] = state.feedOnly
    ? [["live feed", "plain"]]
    : tabs.flatMap((tab): Part[] => [[` ${tabTitles[tab]} `, tab === state.tab ? "inverse" : "plain"]]);
  const connection = connectionParts(state);
  const all: Line = [[" mem", "bold"], ["  "], ...marked(state, titles)];
  if (state.feedOnly || lineWidth(all) + lineWidth(connection) <= columns)
    return spread(all, connection, columns);
  const place = `  ${tabs.indexOf(state.tab) + 1} of ${tabs.length}`;
  const shown: Line = [
    [`[${tabTitles[state.tab]}]`, "inverse"],
    [place, "dim"],
  ];
  return spread([[" mem", "bold"], ["  "], ...shown], connection, columns);
}

// Without color the brackets show the screen.
function marked(state: State, titles: readonly Part[]): Part[] {
  return titles.map(([text, style], at) =>
    !state.feedOnly && tabs[at] === state.tab ? [`[${text.trim()}]`, style] : [text, style],
  );
}

function connectionParts({ connection, queued }: State): Line {
  const waiting: Part[] = queued === null || queued === 0 ? [] : [[`${queued} queued  `, "yellow"]];
  switch (connection) {
    case "live":
      return [...waiting, ["● live ", "green"]];
    case "connecting":
      return [...waiting, ["○ connecting ", "dim"]];
    case "lost":
      return [...waiting, ["○ no worker ", "red"]];
    default:
      return connection satisfies never;
  }
}

/** The line below the header: the words of the search, or what the list shows. */
function fieldLine(state: State): { line: Line; cursor: Cursor | null } {
  const { columns } = state.size;
  const view = shownView(state);
  const right: Line = rightOfField(state, view);
  if (!isSearched(view.source)) return { line: spread(titleOf(view), right, columns), cursor: null };
  const { words } = view.source;
  const front = frontOf(view.source);
  if (state.mode.is !== "typing") {
    const text: Part = words === "" ? ["to search", "dim"] : [words, "bold"];
    return { line: spread([front, text], right, columns), cursor: null };
  }
  const start = displayWidth(front[0]);
  const room = Math.max(10, columns - start - lineWidth(right) - 1);
  const before = cutStart([...words].slice(0, state.cursor).join(""), room - 1);
  const after = [...words].slice(state.cursor).join("");
  const text: Part = words === "" ? ["type words to search", "dim"] : [before + after, "bold"];
  const line = spread([front, text], right, columns);
  return { line, cursor: { row: 1, column: start + displayWidth(before) } };
}

function frontOf(source: Source): Part {
  return source.is === "replacement" ? [` Replace ${source.row.name} by / `, "yellow"] : [" / ", "cyan"];
}

function rightOfField(state: State, view: View): Line {
  const filters = view.source.is === "search" ? filtersInWords(state.filters) : (projectOf(view) ?? "");
  const count = countText(view);
  const parts = [filters, view.unseen > 0 ? `${view.unseen} new above` : "", count].filter(
    (text) => text !== "",
  );
  return parts.length === 0 ? [] : [[`  ${parts.join("  ")} `, "dim"]];
}

function projectOf({ source }: View): string | null {
  return "project" in source ? source.project : null;
}

function countText({ rows, selected, pending }: View): string {
  const known = knownRows(rows);
  if (known === 0) return pending === null ? "" : "…";
  return `${selected + 1}/${known.toLocaleString("en-US")}${rows.next === null ? "" : "+"}`;
}

function titleOf({ source }: View): Line {
  switch (source.is) {
    case "search":
    case "replacement":
      return [];
    case "feed":
      return [[" Newest first", "dim"]];
    case "sessions":
      return [[" Sessions, newest first", "dim"]];
    case "session":
      return [
        [" Session  ", "dim"],
        [source.title, "bold"],
      ];
    case "rules":
      return [[" Rules: first those that apply everywhere", "dim"]];
    case "timeline":
      return [
        [" Timeline around  ", "dim"],
        [source.title, "bold"],
      ];
    case "queue":
      return [[" Messages that wait, run or failed, oldest first", "dim"]];
    case "trash":
      return [[" Deleted records and texts from before an edit, newest first", "dim"]];
    default:
      return source satisfies never;
  }
}

function overlaid(state: State, mode: Extract<State["mode"], { is: "reading" | "help" }>): Line[] {
  const { columns } = state.size;
  const height = overlayRows(state);
  const lines = overlayLines(state, mode);
  return Array.from({ length: height }, (_, at) => fitLine(lines[mode.scroll + at] ?? [], columns));
}

function bodyLines(state: State): Line[] {
  const above = aboveLines(state);
  const layout = listLayout(state);
  return [...above, ...joined(state, listLines(state, layout.list), layout)];
}

/** Filters, figures of the queue, and notes of the answer. */
function aboveLines(state: State): Line[] {
  const { columns } = state.size;
  const { source, notes } = shownView(state);
  const filters = state.mode.is === "filters" ? filterLines(state, state.mode.field) : [];
  const width = Math.max(0, ...state.figures.map(([label]) => label.length));
  const figures: Line[] = state.figures.map(([label, value]) => [
    [` ${cell(label, width)}  `, "dim"],
    [value],
  ]);
  const above = source.is === "queue" && figures.length > 0 ? [...figures, []] : [];
  const said = notes.slice(0, mostNotes).map((note): Line => [[` ${note}`, "yellow"]]);
  return [...filters, ...above, ...said].map((line) => fitLine(line, columns));
}

const space: Part = [" "];

function joined(state: State, list: readonly Line[], { preview, columns }: Layout): Line[] {
  if (preview === null) return [...list];
  const shown = shownPreview(state, preview.columns - 1);
  const lines = Array.from({ length: preview.rows }, (_, at) => {
    const line = shown[at] ?? [];
    return fitLine([space, ...line], preview.columns);
  });
  if (!preview.isBeside) return [...list, [["─".repeat(columns), "dim"]], ...lines];
  return list.map((line, at): Line => [...line, [" │ ", "dim"], ...(lines[at] ?? [])]);
}

function shownPreview(state: State, columns: number): readonly Line[] {
  const row = selectedRow(state);
  if (row === undefined) return [];
  const preview = state.previews.get(row.key);
  return preview === undefined ? waitingLines(row.title, columns) : previewLines(preview, columns);
}

function waitingLines(title: string, columns: number): Line[] {
  const note: Line = [["Reading…", "dim"]];
  return [...wrapHard(title, columns).map((text): Line => [[text, "bold"]]), note];
}

function filterLines(state: State, at: number): Line[] {
  const { columns } = state.size;
  const fields = filterFields(state).map(({ name, label, choices }, index): Line => {
    const value = choices.find(([each]) => each === state.filters[name])?.[1] ?? state.filters[name] ?? "all";
    const text = ` ${index === at ? ">" : " "} ${cell(label, 9)} < ${value} >`;
    return [[text, index === at ? "inverse" : "plain"]];
  });
  const title: Line = [[" Filters", "bold"]];
  const rule: Line = [["─".repeat(columns), "dim"]];
  return [title, ...fields, rule];
}

function statusLine(state: State): Line {
  const { columns } = state.size;
  return fitLine([[" "], ...statusParts(state)], columns);
}

function statusParts(state: State): Line {
  const { mode, said, connection } = state;
  const { fault } = shownView(state);
  if (mode.is === "confirming")
    return [
      [`${mode.question} `, "yellow"],
      ["y/n", "bold"],
    ];
  const { source } = shownView(state);
  if (said === null && source.is === "replacement")
    return [[`Choose what replaces ${source.row.name}: ${source.row.title}`, "yellow"]];
  if (said !== null) {
    const undo: Line = said.undo === null ? [] : [["  u: undo", "bold"]];
    return [[said.text, tones[said.tone]], ...undo];
  }
  if (fault !== null) return [[`${fault.message} ${fault.hint}`, "red"]];
  if (connection === "lost") return [["The worker does not answer. Start it: `mem worker start`.", "yellow"]];
  return [];
}

const tones = { good: "green", bad: "red", plain: "plain" } as const;

/** The keys that work here, as far as they fit. */
function keysLine(state: State): Line {
  const { columns } = state.size;
  const parts: Part[] = [[" "]];
  let room = columns - 1;
  for (const [key, what] of keyHints(state)) {
    const width = displayWidth(`${key} ${what}  `);
    if (width > room) continue;
    parts.push([key, "bold"], [` ${what}  `, "dim"]);
    room -= width;
  }
  return fitLine(parts, columns);
}

function keyHints(state: State): (readonly [key: string, what: string])[] {
  const { mode } = state;
  switch (mode.is) {
    case "typing":
      return fieldHints(state);
    case "filters":
      return [
        ["j/k", "field"],
        ["h/l", "change"],
        ["x", "clear"],
        ["c", "clear all"],
        ["Enter", "close"],
      ];
    case "confirming":
      return [
        ["y", "yes"],
        ["n", "no"],
      ];
    case "help":
    case "reading":
      return [
        ["j/k", "scroll"],
        ["Esc", "back"],
        ...listHints(state).filter(([, what]) => !what.match(/^(move|open)$/)),
      ];
    case "list":
      return listHints(state);
    default:
      return mode satisfies never;
  }
}

function fieldHints(state: State): (readonly [key: string, what: string])[] {
  const { source } = shownView(state);
  if (source.is === "replacement")
    return [
      ["↓/Enter", "to the list"],
      ["Ctrl-N", "write the new text"],
      ["Esc", "cancel"],
    ];
  const isEmpty = isSearched(source) && source.words === "";
  return [
    ["↓/Enter", "to the list"],
    ["Esc", "leave"],
    isEmpty ? ["?", "help"] : ["Ctrl-U", "clear"],
    ["Tab", "next screen"],
    ["Ctrl-C", "quit"],
  ];
}

// Quit and help first, so that a narrow terminal keeps them.
function listHints(state: State): (readonly [string, string])[] {
  const works = bindings.filter(({ short, when }) => short !== undefined && when?.(state) !== false);
  const hints = works.map(
    ({ keys, short = "", command }) =>
      [command === "down" ? "j/k" : keys.slice(0, 1).map(keyName).join(), short] as const,
  );
  const isLast = ([, what]: readonly [string, string]) => what === "help" || what === "quit";
  return [...hints.filter(isLast), ...hints.filter((hint) => !isLast(hint))];
}

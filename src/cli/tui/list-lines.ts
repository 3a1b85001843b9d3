// The list as lines: a row for each record, and what an empty list says.

import { undoDays } from "../../core/records/trash.ts";
import { cutToWidth, displayWidth } from "../../text/terminal-text.ts";
import { createHighlight } from "../search-results.ts";
import { ageInWords, clockTime, localDate } from "../words.ts";
import type { Size } from "./layout.ts";
import { cell, fitLine, type Line, lineWidth, type Part, wrapHard } from "./lines.ts";
import { faultLines } from "./preview-lines.ts";
import { rowAt } from "./row-window.ts";
import type { Row } from "./rows.ts";
import { isSearched } from "./search-field.ts";
import type { State, View } from "./state.ts";
import { shownView } from "./views.ts";

/** Exactly as many lines as the list has rows, each in its full width. */
export function listLines(state: State, { columns, rows }: Size): Line[] {
  const view = shownView(state);
  const visible = Array.from({ length: rows }, (_, at) => rowAt(view.rows, view.top + at));
  const shown = visible.filter((row) => row !== undefined);
  const lines = shown.length === 0 ? emptyLines(state, columns) : rowLines(state, visible, columns);
  return Array.from({ length: rows }, (_, at) => fitLine(lines[at] ?? [], columns));
}

interface Columns {
  total: number;
  name: number;
  type: number;
  age: number;
  project: number;
}

const widestType = 10;
const widestProject = 14;
// Below this, a title would be left a few words.
const projectFromColumns = 76;

function rowLines(state: State, visible: readonly (Row | undefined)[], columns: number): Line[] {
  const view = shownView(state);
  const rows = visible.filter((row) => row !== undefined);
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(displayWidth));
  const several = new Set(rows.map(({ project }) => project)).size > 1;
  const moment = { nowEpochMs: state.nowEpochMs, source: view.source };
  const widths: Columns = {
    total: columns,
    name: Math.max(3, widest(rows.map(({ name }) => name))),
    type: Math.min(widestType, widest(rows.map(({ type }) => type))),
    age: widest(rows.map((row) => whenOf(row, moment))),
    project:
      several && columns >= projectFromColumns
        ? Math.min(widestProject, widest(rows.map(({ project }) => project)))
        : 0,
  };
  const words = isSearched(view.source) ? view.source.words : "";
  const highlight = createHighlight(words, (word) => `${markOn}${word}${markOff}`);
  return visible.map((row, at): Line => {
    if (row === undefined) return view.top + at < view.selected ? [["  …", "dim"]] : [];
    return rowLine(row, { moment, widths, highlight, isSelected: view.top + at === view.selected });
  });
}

interface RowContext {
  moment: Parameters<typeof whenOf>[1];
  widths: Columns;
  highlight(text: string): string;
  isSelected: boolean;
}

function rowLine(row: Row, { moment, widths, highlight, isSelected }: RowContext): Line {
  const isQuiet = row.marks.includes("routine") || row.status !== "active";
  const head: Line = [
    [isSelected ? "> " : row.isAnchor === true ? "* " : "  ", "cyan"],
    [row.name.padStart(widths.name), "dim"],
    [`  ${cell(row.type, widths.type)}  `, "cyan"],
  ];
  const age = whenOf(row, moment).padStart(widths.age);
  const marks = row.marks.join(" · ");
  const tail: Line = [
    ...(marks === "" ? [] : [[`  ${cutToWidth(marks, Math.floor(widths.total / 4))}`, "yellow"] as const]),
    ...(widths.project === 0 ? [] : [[`  ${cell(row.project, widths.project)}`, "dim"] as const]),
    [`  ${age} `, "dim"],
  ];
  const room = widths.total - lineWidth(head) - lineWidth(tail);
  const title: Line = fitLine([[row.title]], room);
  const titleParts = isQuiet ? title.map(([text]): Part => [text, "dim"]) : marked(title, highlight);
  const line = [...head, ...titleParts, ...tail];
  return isSelected ? line.map(([text]): Part => [text, "inverse"]) : line;
}

// Control characters never are in a row.
const markOn = "\u0001";
const markOff = "\u0002";

function marked(title: Line, highlight: (text: string) => string): Line {
  return title.flatMap(([text, style]) =>
    highlight(text)
      .split(markOn)
      .flatMap((piece, at): Part[] => {
        if (at === 0) return [[piece, style]];
        const [found = "", rest = ""] = piece.split(markOff);
        return [
          [found, "yellow"],
          [rest, style],
        ];
      }),
  );
}

/** `5 min`, `3 h`, `2 d`, then the day; in a timeline the day and the time. */
function whenOf({ at }: Row, { nowEpochMs, source }: { nowEpochMs: number; source: View["source"] }): string {
  const day = localDate(new Date(at));
  const today = localDate(new Date(nowEpochMs));
  if (source.is === "timeline" || source.is === "session")
    return day === today ? clockTime(at) : `${day.slice(5)} ${clockTime(at)}`;
  const age = ageInWords(at, nowEpochMs);
  if (age === day) return day.slice(0, 4) === today.slice(0, 4) ? day.slice(5) : day;
  return age.replace(" ago", "").replace("just now", "now");
}

function emptyLines(state: State, columns: number): Line[] {
  const view = shownView(state);
  if (view.fault !== null) return [[], ...inset(faultLines(view.fault, columns - 4))];
  if (!view.rows.isRead) return [[], [["  Reading…", "dim"]]];
  const [first = "", ...rest] = emptyText(view, state);
  return [
    [],
    ...inset(wrapHard(first, columns - 4).map((text): Line => [[text, "bold"]])),
    ...rest.flatMap((text) => inset(wrapHard(text, columns - 4).map((each): Line => [[each, "dim"]]))),
  ];
}

function inset(lines: readonly Line[]): Line[] {
  return lines.map((line) => [["  "], ...line]);
}

const firstUse =
  "Records appear here while your agent works. To connect an agent, run `mem install`; to see an example, `mem demo`.";

function emptyText({ source }: View, { filters }: State): string[] {
  const isFiltered = Object.values(filters).some((value) => value !== null);
  const orFilters = isFiltered ? ["Change the filters: f."] : [];
  switch (source.is) {
    case "search":
      if (source.words !== "") return ["Nothing found.", "Try other words.", ...orFilters];
      return isFiltered ? ["Nothing found.", ...orFilters] : ["Nothing is remembered here yet.", firstUse];
    case "feed":
      return ["Nothing is remembered here yet.", firstUse, ...orFilters];
    case "sessions":
      return ["No session yet.", "A session appears with its first prompt.", firstUse, ...orFilters];
    case "session":
      return ["This session has no records."];
    case "rules":
      return [
        "No rules yet.",
        'A rule that you state in a prompt stands here. Add one: `mem remember "..."`.',
        ...orFilters,
      ];
    case "timeline":
      return ["No records around it."];
    case "queue":
      return ["The queue is empty.", "Messages wait here until they are written as observations."];
    case "trash":
      return [
        "The trash is empty.",
        `Deleted records and texts from before an edit stay here for ${undoDays} days.`,
        ...orFilters,
      ];
    case "replacement":
      return source.words === ""
        ? ["No other observation.", "Write the new text: Ctrl-N."]
        : ["Nothing found.", "Try other words, or the number of an observation. Write the new text: Ctrl-N."];
    default:
      return source satisfies never;
  }
}

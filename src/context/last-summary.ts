// What the last session's summary tells. Titles of records from outside that it repeats are cut, and marked as they are.
import type { Observation, SessionSummary } from "../domain/records.ts";
import { markedBy, marksOf, titleOf } from "./marks.ts";
import { plainLine } from "./plain-line.ts";

/** What is shown of it; every text is one plain line. */
export interface LastSummary {
  at: number;
  parts: { name: string; text: string }[];
}

type Told = Pick<Observation, "title" | "provenance" | "status" | "superseded_by" | "pinned">;

/** Null when there is none, or it says nothing. `observations` are those whose titles it may repeat. */
export function lastSummaryOf(
  summary: SessionSummary | undefined,
  observations: readonly Told[],
): LastSummary | null {
  if (summary === undefined) return null;
  const outside = observations
    .filter(({ provenance, title }) => (provenance === "web" || provenance === "mcp") && title !== "")
    .toSorted((one, other) => other.title.length - one.title.length);
  const shown = (text: string | null) => plainLine(withMarks(text ?? "", outside), maxPartChars);
  const parts: [string, string | null][] = [
    ["Request", summary.request],
    ["Investigated", summary.investigated],
    ["Learned", summary.learned],
    ["Completed", summary.completed],
    ["Next steps", summary.next_steps],
    ["Notes", summary.notes],
  ];
  const told = parts.map(([name, text]) => ({ name, text: shown(text) })).filter(({ text }) => text !== "");
  if (told.length === 0) {
    const text = shown(summary.summary_text);
    if (text === "") return null;
    told.push({ name: "Summary", text });
  }
  return { at: summary.created_at_epoch, parts: told };
}

const maxPartChars = 400;
const maxTitleChars = 140;

// All at once and the longest first: a title may begin with another one, and what was marked is not marked again.
function withMarks(text: string, outside: readonly Told[]): string {
  if (text === "" || outside.length === 0) return text;
  const byTitle = new Map(outside.map((one) => [one.title, one]));
  const titles = new RegExp(
    [...byTitle.keys()].map((title) => title.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"),
    "g",
  );
  return text.replace(titles, (title) => {
    const one = byTitle.get(title);
    if (one === undefined) return title;
    return (
      titleOf(one, maxTitleChars) + marksOf({ ...markedBy(one, 1, []), pinned: false, superseded: false })
    );
  });
}

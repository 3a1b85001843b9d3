// What the last session's summary tells. Titles of records from outside that it repeats are cut, and marked as they are.
import type { Observation, SessionSummary } from "../core/records/records.ts";
import { markedBy, marksOf, titleOf } from "./marks.ts";
import { plainLine } from "./plain-line.ts";

/** What is shown of it; every text is one plain line. */
export interface LastSummary {
  id: number;
  at: number;
  parts: { name: string; text: string }[];
}

type Told = Pick<Observation, "title" | "provenance" | "status" | "superseded_by" | "pinned">;

interface Around {
  /** Those whose titles it may repeat. */
  observations: readonly Told[];
  /** An observation that it may lean on was rejected: what it says came of the work is not told. */
  isDoubted: boolean;
}

/** Null when there is none, or it says nothing. */
export function lastSummaryOf(
  summary: SessionSummary | undefined,
  { observations, isDoubted }: Around,
): LastSummary | null {
  if (summary === undefined) return null;
  const outside = observations
    .filter(({ provenance, title }) => (provenance === "web" || provenance === "mcp") && title !== "")
    .toSorted((one, other) => other.title.length - one.title.length);
  const shown = (text: string | null) => plainLine(withMarks(text ?? "", outside), maxPartChars);
  const told = (isDoubted ? wished(summary) : partsOf(summary))
    .map(([name, text]) => ({ name, text: shown(text) }))
    .filter(({ text }) => text !== "");
  if (isDoubted && told.length > 0) told.push({ name: "Left out", text: doubt });
  if (told.length === 0) {
    if (isDoubted) return null;
    const text = shown(summary.summary_text);
    if (text === "") return null;
    told.push({ name: "Summary", text });
  }
  return { id: summary.id, at: summary.created_at_epoch, parts: told };
}

function partsOf(summary: SessionSummary): [string, string | null][] {
  return [
    ["Request", summary.request],
    ["Investigated", summary.investigated],
    ["Learned", summary.learned],
    ["Completed", summary.completed],
    ["Next steps", summary.next_steps],
    ["Notes", summary.notes],
  ];
}

// What was asked and what is to come rests on no record.
function wished(summary: SessionSummary): [string, string | null][] {
  return [
    ["Request", summary.request],
    ["Next steps", summary.next_steps],
  ];
}

const doubt = "what came of it: a record of that session was rejected";

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

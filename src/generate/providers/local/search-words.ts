// The words for what a search or a listing printed, whether a tool or a shell command did it.

import { clip, counted, listed, oneLine, shownPath } from "../../../domain/plain-text.ts";
import type { CommandWords } from "./command-run.ts";

interface Matches {
  /** What was searched for; empty for a listing. */
  asked: string;
  /** Where, as shown; empty for the working directory. */
  place: string;
  /** One match, file or entry to a line. */
  lines: readonly string[];
  unit: "file" | "match" | "entry";
  cwd: string | null;
  /** How many there are, where that is more than the lines at hand. */
  total: number;
  /** Only part of the output was looked at, so the count is a lower bound. */
  cut: boolean;
}

/** What was found, in words. */
export function matchWords(matches: Matches): CommandWords {
  const { lines, unit, cwd, total } = matches;
  const files = unit === "match" ? matchedFiles(lines) : [];
  const shown = lines.slice(0, 15).map((line) => shownPath(line.trim(), cwd));
  return {
    title: `${subject(matches)}: ${count(matches)}${files.length > 0 ? ` in ${counted(files.length, "file")}` : ""}`,
    facts: shown.length === 0 ? [] : foundFacts(matches, shown, files),
    evidence: [foundSentence(unit, shown, total)],
    concepts: ["how-it-works"],
    filesRead: files.slice(0, 10),
    provenance: "file",
  };
}

function subject({ asked, place }: Matches): string {
  if (asked === "") return `Listed ${place === "" ? "the working directory" : place}`;
  return `Searched for \`${oneLine(asked, 50)}\`${place === "" ? "" : ` in ${clip(place, 40)}`}`;
}

function count({ total, unit, cut }: Matches): string {
  if (total === 0) return "nothing found";
  const plurals = { file: "files", match: "matches", entry: "entries" };
  return `${cut ? "at least " : ""}${counted(total, unit, plurals[unit])}`;
}

function foundFacts(
  { asked, unit, cwd }: Matches,
  shown: readonly string[],
  files: readonly string[],
): string[] {
  if (unit !== "match") return [`${asked === "" ? "Entries" : "Found"}: ${listed(shown, 12)}`];
  const places = listed(
    files.map((path) => shownPath(path, cwd)),
    10,
  );
  return [places === "" ? "" : `\`${oneLine(asked, 50)}\` is in ${places}`, ...shown.slice(0, 4)];
}

function foundSentence(unit: Matches["unit"], shown: readonly string[], total: number): string {
  if (shown.length === 0) return total > 0 ? "Only the number was asked for" : "Nothing matched";
  return unit === "match" ? `The first match: ${shown[0] ?? ""}` : `Among them: ${listed(shown, 6)}`;
}

function matchedFiles(lines: readonly string[]): string[] {
  return [...new Set(lines.slice(0, 200).flatMap((line) => matchedFile.exec(line)?.[1] ?? []))];
}

const matchedFile = /^((?:[A-Za-z]:)?[^\s:]{1,200}):\d*:?/;

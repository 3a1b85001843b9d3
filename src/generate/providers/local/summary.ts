// The summary of a session's turn, from its last messages and the titles of its observations. It never invents.

import type { DraftSummary } from "../../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../../core/records/messages.ts";
import type { ObservationConcept } from "../../../core/records/records.ts";
import { withoutHostBlocks } from "../../../core/tools/host-blocks.ts";
import { clip, headAndTail, oneLine, plain } from "../../../text/plain-text.ts";
import { readStatements, type Statements } from "./assistant-message.ts";
import { caps, distinct, paths, sentence } from "./finding.ts";

/** The summary that answers one summarize message; `recentTitles` are those since the summary before it. */
export function summarize(
  { id, message }: ClaimedMessage,
  userPrompt: string,
  recentTitles: readonly string[],
): DraftSummary {
  const said = plain(headAndTail(message.last_assistant_message ?? "", 9_000, 3_000));
  const request = oneLine(
    withoutHostBlocks((message.last_user_message || userPrompt).slice(0, requestRead)),
    requestChars,
  );
  const statements = placeRest(readStatements(said), request);
  const titles = recentTitles.map((title) => oneLine(title.replace(pageWords, "$1"), caps.title));
  const work = titles.filter((title) => workTitle.test(title));
  const looks = titles.filter((title) => lookTitle.test(title));
  const modified = paths([...work.flatMap(filesIn), ...statements.completed.flatMap(filesIn)]);
  const completed = statements.completed.length > 0 ? statements.completed : work;
  return {
    request: request === "" ? null : request,
    investigated: field([...statements.investigated, ...looks]),
    learned: field(statements.learned),
    completed: field(completed),
    next_steps: field(statements.next_steps),
    notes: field(statements.notes),
    facts: distinct(
      [
        ...said.split("\n").filter(isFact).map(bare),
        ...titles.filter((title) => factTitle.test(title)).reverse(),
      ],
      caps.fact,
      caps.facts,
    ),
    concepts: concepts({ ...statements, completed }, request),
    files_read: paths([
      ...looks.flatMap(filesIn),
      ...filesIn(said).filter((path) => !modified.includes(path)),
    ]),
    files_modified: modified,
    source: id,
  };
}

// A statement that nothing tells apart is the answer when the user asked something, else a note.
function placeRest(statements: Statements, request: string): Statements {
  const { rest } = statements;
  if (rest.length === 0) return statements;
  if (question.test(request)) return { ...statements, learned: [...rest, ...statements.learned] };
  return { ...statements, notes: [...statements.notes, ...rest] };
}

function field(statements: readonly string[]): string | null {
  const lines = distinct(statements, statementChars, statementCount).map(sentence);
  return lines.length === 0 ? null : clip(lines.join(" "), fieldChars);
}

function concepts({ completed, learned, notes }: Statements, request: string): ObservationConcept[] {
  const found: ObservationConcept[] = [];
  if (completed.length > 0) found.push("what-changed");
  if (learned.length > 0) found.push("how-it-works");
  if (problem.test(request) || learned.some((text) => problem.test(text))) found.push("problem-solution");
  if (notes.some((text) => /trade-?off|instead of|rather than/i.test(text))) found.push("trade-off");
  return found;
}

// Lines with a result that can be checked: test counts, commits, exit codes, measurements.
function isFact(line: string): boolean {
  return line.length < 400 && resultWords.test(line) && !/^\s*(?:#|```|\|)/.test(line);
}

function bare(line: string): string {
  return line.replace(/^\s*(?:[-*•+]|\d{1,2}[.)])\s+/, "").replace(/\*\*/g, "");
}

function filesIn(text: string): string[] {
  return Array.from(text.matchAll(filePattern), ([, path = ""]) => path);
}

const requestChars = 300;
const requestRead = 4_000;
const statementChars = 300;
const statementCount = 8;
const fieldChars = 1_500;

const workTitle =
  /^(?:Edited|Created|Deleted|Changed|Moved|Copied|Wrote|Committed|Installed|Removed|Added|Fixed|Renamed|Pushed|Merged|Implemented|Refactored|Updated|Tagged)\b/;
// What stands behind the address of a page is the page's own words: nobody sees in a summary that they came from outside.
const pageWords = /^(Fetched \S+?):? .*$/s;
const lookTitle = /^(?:Read|Searched|Listed|Looked|Fetched|Investigated|Explored)\b/;
const factTitle = /\bfailed\b|\bpassed\b|^Committed|^Pushed|^User decided|^Planned|\breports\b/;
const question =
  /\?\s*$|^(?:how|why|what|where|when|who|which|is|are|does|do|can|could|explain|describe|show|tell|find out)\b/i;
const problem = /\b(?:fix|bug|error|broken|crash|fail|wrong|root cause|regression)/i;
const resultWords =
  /\b\d+ (?:of \d+ )?(?:tests?|passed|failed|errors?|warnings?)\b|\bexit code \d|\bcommit(?:ted)? (?:as )?`?[0-9a-f]{7,40}\b|\b\d+(?:\.\d+)? ?(?:ms|MB|KB|%|seconds)\b/i;
const filePattern =
  /(?:^|[\s`"'(])((?:[\w@.~-]*\/)*[\w@.-]+\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs?|cpp|h|swift|sql|md|json|ya?ml|toml|css|s?html?|sh|vue|svelte|prisma|proto|graphql))(?=$|[\s`"'):,;.])/gm;

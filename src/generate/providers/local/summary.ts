// Writes the summary of a turn from its last messages and the titles of its observations.
import type { DraftSummary } from "../../../core/records/drafts.ts";
import type { ClaimedMessage } from "../../../core/records/messages.ts";
import type { ObservationConcept } from "../../../core/records/records.ts";
import { typedParts } from "../../../core/tools/typed-text.ts";
import { isSmallTalk } from "../../../statements/concluded.ts";
import { saysLeftOpen, withoutOpenLabel } from "../../../statements/text/left-open.ts";
import { closingCuesOf, isQuestion } from "../../../statements/text/sentence-cues.ts";
import { type Sentence, sentencesOf } from "../../../statements/text/sentences.ts";
import { tellingTermsOf } from "../../../statements/text/topic-terms.ts";
import { fileEndings, isFileName } from "../../../text/file-name.ts";
import { clip, headAndTail, oneLine, plain } from "../../../text/plain-text.ts";
import { caps, distinct, paths, sentence } from "./finding.ts";

/** `recentTitles` are the titles since the previous summary. */
export function summarize(
  { id, message }: ClaimedMessage,
  userPrompt: string,
  recentTitles: readonly string[],
): DraftSummary {
  const said = plain(headAndTail(message.last_assistant_message ?? "", 9_000, 3_000));
  const asked = typedParts(message.last_user_message || userPrompt).typed;
  const request = oneLine(asked.slice(0, requestRead), requestChars);
  const titles = recentTitles.map((title) => oneLine(title.replace(pageWords, "$1"), caps.title));
  const work = titles.filter((title) => workTitle.test(title));
  const looks = titles.filter((title) => lookTitle.test(title));
  const { left, learned, others } = readStatements(said);
  // What is neither a cause nor open answers a question, else it tells what was done.
  const [found, done] = isQuestion(asked) ? [[...learned, ...others], work] : [learned, others];
  // "There it is." does not say what was done; the edits do.
  const completed = done.some((text) => tellingTermsOf(text).length > 0) ? done : [...work, ...done];
  const modified = paths([...work, ...done].flatMap(filesIn));
  const results = said.split("\n").filter((line) => line.length < 400 && resultWords.test(line));
  return {
    request: request === "" ? null : request,
    investigated: field(looks),
    learned: field(found),
    completed: field(completed),
    next_steps: field(left.map(withoutOpenLabel)),
    notes: null,
    facts: distinct(
      [...results.map(bare), ...titles.filter((title) => factTitle.test(title)).reverse()],
      caps.fact,
      caps.facts,
    ),
    concepts: [
      ...(completed.length > 0 ? (["what-changed"] satisfies ObservationConcept[]) : []),
      ...(found.length > 0 ? (["how-it-works"] satisfies ObservationConcept[]) : []),
    ],
    files_read: paths([
      ...looks.flatMap(filesIn),
      ...filesIn(said).filter((path) => !modified.includes(path)),
    ]),
    files_modified: modified,
    source: id,
  };
}

/** The sentences of a message: work that is left and questions, causes, and the others. */
function readStatements(message: string): Record<"left" | "learned" | "others", string[]> {
  const read = { left: [] as string[], learned: [] as string[], others: [] as string[] };
  for (const one of sentencesOf(message)) {
    if (isSmallTalk(one.text) || /[:：]$/.test(one.text)) continue;
    const cues = closingCuesOf(one.text);
    const isLeft = isLeftOpen(one) || isQuestion(one.text) || cues.has("offer");
    read[isLeft ? "left" : cues.has("cause") ? "learned" : "others"].push(one.text);
  }
  return read;
}

function isLeftOpen({ text, lead }: Sentence): boolean {
  return saysLeftOpen(text) || saysLeftOpen(`${lead.replace(/[:：]$/, "")}: ${text}`);
}

function field(statements: readonly string[]): string | null {
  const lines = distinct(statements, statementChars, statementCount).map(sentence);
  return lines.length === 0 ? null : clip(lines.join(" "), fieldChars);
}

function bare(line: string): string {
  return line.replace(/^\s*(?:[-*•+]|\d{1,2}[.)])\s+/, "").replace(/\*\*/g, "");
}

function filesIn(text: string): string[] {
  return Array.from(text.matchAll(filePattern), ([, path = ""]) => path).filter(isFileName);
}

const requestChars = 300;
const requestRead = 4_000;
const statementChars = 300;
const statementCount = 8;
const fieldChars = 1_500;

const workTitle =
  /^(?:Edited|Created|Deleted|Changed|Moved|Copied|Wrote|Committed|Installed|Removed|Added|Fixed|Renamed|Pushed|Merged|Implemented|Refactored|Updated|Tagged)\b/;
// Drops the text of a page after its address: a summary does not show that it came from outside.
const pageWords = /^(Fetched \S+?):? .*$/s;
const lookTitle = /^(?:Read|Searched|Listed|Looked|Fetched|Investigated|Explored)\b/;
const factTitle = /\bfailed\b|\bpassed\b|^Committed|^Pushed|^User decided|^Planned|\breports\b/;
// Test counts, commits, exit codes, measurements.
const resultWords =
  /^(?!\s*(?:#|```|\|)).*(?:\b\d+ (?:of \d+ )?(?:tests?|passed|failed|errors?|warnings?)\b|\bexit code \d|\bcommit(?:ted)? (?:as )?`?[0-9a-f]{7,40}\b|\b\d+(?:\.\d+)? ?(?:ms|MB|KB|%|seconds)\b)/i;
const filePattern = new RegExp(
  `(?:^|[\\s\`"'(])((?:[\\w@.~-]*/)*[\\w@.-]+\\.(?:${fileEndings}))(?=$|[\\s\`"'):,;.])`,
  "gm",
);

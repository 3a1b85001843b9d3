// Search results and whole records as text for people.
import type { SearchAnswer } from "../client/worker-client.ts";
import { oneList } from "../core/records/found-list.ts";
import { quoteTitle } from "../core/records/quoted-text.ts";
import { isFunctionWord } from "../text/function-words.ts";
import { cutToWidth, terminalLine, terminalText, wrapToWidth } from "../text/terminal-text.ts";
import { termsOf, wordsOf } from "../text/words.ts";
import type { Io } from "./io.ts";
import { branchMarks, routineNote, speakerMarks, statusMarks } from "./record-marks.ts";
import {
  type ListedHit,
  type ObservationHit,
  type PromptHit,
  type SummaryHit,
  searchedWords,
} from "./search-list.ts";
import { ageInWords, projectPath } from "./words.ts";

export type Highlight = (line: string) => string;

interface Listing {
  nowEpochMs: number;
  /** Default true: routine steps as well. */
  all?: boolean;
  highlight?: Highlight;
}

/** Prints the answer of a search as one list, best first; marks its words where stdout shows color. */
export function renderSearch(io: Io, answer: SearchAnswer, listing: Listing): void {
  const question = searchedWords(answer);
  const highlight = io.color ? createHighlight(question, io.paint.yellow) : undefined;
  renderHits(io, oneList(answer), { ...listing, ...(highlight && { highlight }) });
}

/** Prints records in the given order; routine steps only with `all`. */
export function renderHits(
  io: Io,
  hits: readonly ListedHit[],
  { nowEpochMs, all = true, highlight = (line) => line }: Listing,
): void {
  const listed = all ? hits : withoutSteps(hits);
  const idWidth = renderResults(io, listed.map(resultOf), { nowEpochMs, highlight });
  const hidden = hits.length - listed.length;
  if (hidden > 0) io.out(`${" ".repeat(idWidth + 2)}${io.paint.dim(routineNote(hidden))}`);
}

/** Prints results in the given order; the width of their ids. */
export function renderResults(
  io: Io,
  results: readonly Result[],
  { nowEpochMs, highlight = (line) => line }: Pick<Listing, "nowEpochMs" | "highlight">,
): number {
  const idWidth = Math.max(0, ...results.map(({ name }) => name.length));
  for (const result of results) renderResult(io, result, { idWidth, nowEpochMs, highlight });
  return idWidth;
}

// A prompt alone does not show what was done.
function withoutSteps(hits: readonly ListedHit[]): readonly ListedHit[] {
  const lasting = hits.filter((hit) => hit.kind !== "observation" || hit.found.routine !== 1);
  return lasting.some(({ kind }) => kind !== "prompt") ? lasting : hits;
}

function resultOf(hit: ListedHit): Result {
  switch (hit.kind) {
    case "observation":
      return observationResult(hit.found);
    case "session":
      return summaryResult(hit.found);
    case "prompt":
      return promptResult(hit.found);
    default:
      return hit satisfies never;
  }
}

/** What a list shows of a record. */
export interface Result {
  /** The id that `mem show` and `mem timeline` take. */
  name: string;
  title: string;
  /** Type, project and marks, before the age. */
  tags: string[];
  created_at_epoch: number;
  /** Short text below, cut to a line; or whole paragraphs. */
  preview: string;
  paragraphs: string[];
}

interface Layout {
  idWidth: number;
  nowEpochMs: number;
  highlight: Highlight;
}

function renderResult(io: Io, result: Result, { idWidth, nowEpochMs, highlight }: Layout): void {
  const indent = " ".repeat(idWidth + 2);
  const room = io.columns - indent.length;
  const title = terminalLine(result.title);
  const id = io.paint.dim(result.name.padStart(idWidth));
  for (const [index, line] of wrapToWidth(title, room).entries()) {
    io.out(`${index === 0 ? `${id}  ` : indent}${io.paint.bold(highlight(line))}`);
  }
  const tags = [...result.tags, ageInWords(result.created_at_epoch, nowEpochMs)]
    .map(terminalLine)
    .join(" · ");
  const below = [tags, beyond(title, terminalLine(result.preview))].filter((text) => text !== "").join("  ");
  io.out(`${indent}${io.paint.dim(highlight(cutToWidth(below, room)))}`);
  for (const paragraph of result.paragraphs) {
    for (const line of wrapToWidth(terminalText(paragraph), room)) io.out(`${indent}${highlight(line)}`);
  }
}

// A preview often begins with its title: only the sentences after it are shown.
function beyond(title: string, preview: string): string {
  const begin = title.replace(/…$/, "");
  const told = withoutRequest(begin, preview);
  if (begin.startsWith(told.replace(/…$/, ""))) return "";
  if (!told.startsWith(begin)) return told;
  // The title may end within a sentence; the rest of that sentence is skipped.
  const remainder = told.slice(begin.replace(/[.!?:;]+$/, "").length);
  const boundary = nextSentence.exec(remainder);
  return boundary === null ? "" : remainder.slice(boundary[0].length);
}

// Ends with the title, with the sentence of the title, or before the next label of a summary.
const nextSentence =
  /^(?:[.!?:;]+["')\]]*\s+|.*?(?:[.!?]["')\]]*\s+|\s+(?=[A-Z][a-z]+(?: [a-z]+)?: )))(?=\S)/;

// The text of a summary begins with the request, which is its title.
function withoutRequest(begin: string, text: string): string {
  const told = text.replace(/^Request:\s*/, "");
  return told !== text && told.startsWith(begin) ? told : text;
}

function observationResult(found: ObservationHit): Result {
  const tags = [
    ...speakerMarks(found),
    found.obs_type,
    found.project,
    ...statusMarks(found),
    ...branchMarks(found),
    ...foundBy(found),
  ];
  const { created_at_epoch } = found;
  const common = { name: `#${found.id}`, title: found.title, tags, created_at_epoch };
  if ("preview" in found) return { ...common, ...quoteOf(found), paragraphs: [] };
  const paragraphs = [
    textBelow(found),
    ...found.facts.map((fact) => `- ${fact}`),
    fileList("Read", found.files_read),
    fileList("Changed", found.files_modified),
    placeLine(found),
  ];
  return { ...common, preview: found.subtitle ?? "", paragraphs: filled(paragraphs) };
}

/** `Branch: feat/x at 1a2b3c4d5e`; empty outside of a repository. */
function placeLine({
  branch,
  commit,
}: {
  branch?: string | null | undefined;
  commit?: string | null | undefined;
}) {
  const at = commit ? commit.slice(0, 10) : "";
  if (!branch) return at === "" ? "" : `Commit: ${at}`;
  return `Branch: ${branch}${at === "" ? "" : ` at ${at}`}`;
}

// A quote is its own title.
function textBelow({
  title,
  narrative,
  summary,
}: {
  title: string;
  narrative: string | null;
  summary: string;
}) {
  const text = narrative ?? summary;
  return text === title ? "" : text;
}

function summaryResult(found: SummaryHit): Result {
  const { created_at_epoch } = found;
  const common = {
    name: `S${found.id}`,
    tags: ["summary", found.project, ...branchMarks(found), ...foundBy(found)],
    created_at_epoch,
  };
  if ("preview" in found) return { ...common, title: found.title, preview: found.preview, paragraphs: [] };
  const [first = "", ...more] = found.summary_text.split("\n");
  const title = found.request ?? first;
  const lines = withoutRequest(title, first) === title ? more : [first, ...more];
  return { ...common, title, preview: "", paragraphs: filled(lines) };
}

function promptResult(found: PromptHit): Result {
  const { created_at_epoch } = found;
  const common = {
    name: `P${found.id}`,
    tags: ["prompt", found.project, ...branchMarks(found), ...foundBy(found)],
    created_at_epoch,
  };
  if ("preview" in found) return { ...common, title: found.title, preview: found.preview, paragraphs: [] };
  const [title = "", ...lines] = found.prompt_text.split("\n");
  return { ...common, title, preview: "", paragraphs: filled(lines) };
}

// The preview of a statement is the whole quote; its title is cut.
function quoteOf({ title, preview, said_by }: Extract<ObservationHit, { preview: string }>) {
  const begin = title.replace(/…$/, "").toLowerCase();
  const isQuote = said_by !== undefined && preview.toLowerCase().startsWith(begin);
  return isQuote ? { title: quoteTitle(preview, preview.length), preview: "" } : { title, preview };
}

type MatchedBy = ObservationHit["matched_by"][number];

const legs: ReadonlyMap<MatchedBy, string> = new Map([
  ["parts", "parts of words"],
  ["neighbours", "its neighbours"],
  ["vectors", "meaning"],
]);

// Only a record without the words of the query says how it was found.
function foundBy({ matched_by }: { matched_by: readonly MatchedBy[] }): string[] {
  if (matched_by.includes("open")) return ["open work"];
  if (matched_by.includes("words")) return [];
  const named = matched_by.map((leg) => legs.get(leg)).filter((name) => name !== undefined);
  return named.length === 0 ? [] : [`by ${named.join(" and ")}`];
}

function fileList(label: string, paths: readonly string[]): string {
  return paths.length === 0 ? "" : `${label}: ${paths.map(projectPath).join(", ")}`;
}

function filled(paragraphs: readonly string[]): string[] {
  return paragraphs.filter((paragraph) => paragraph.trim() !== "");
}

/** Marks each word of a line that a search for `question` matches. */
export function createHighlight(question: string, mark: (text: string) => string): Highlight {
  const terms = new Set(termsOf(question).filter((term) => !isFunctionWord(term)));
  const runs = wordsOf(question).flatMap(({ text, isRun }) => (isRun && text.length > 1 ? [text] : []));
  if (terms.size === 0) return (line) => line;
  const marked = (word: string): string => {
    const run = runs.find((one) => word.includes(one));
    if (run !== undefined) return word.replaceAll(run, mark(run));
    const isSearched =
      wordsOf(word).every(({ isRun }) => !isRun) && termsOf(word).some((term) => terms.has(term));
    return isSearched ? mark(word) : word;
  };
  return (line) => line.replace(wordPattern, marked);
}

const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

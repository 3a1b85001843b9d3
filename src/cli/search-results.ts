// Search results as lines for people.
import type { SearchAnswer } from "../client/worker-client.ts";
import { quoteTitle } from "../core/records/quoted-text.ts";
import { cutToWidth, terminalLine, terminalText, wrapToWidth } from "../text/terminal-text.ts";
import { createHighlight, type Highlight } from "./highlight.ts";
import type { Io } from "./io.ts";
import { routineNote } from "./routine-steps.ts";
import {
  type ListedHit,
  type ObservationHit,
  type PromptHit,
  type SummaryHit,
  searchedWords,
  searchList,
} from "./search-list.ts";
import { speakerMarks, statusMarks } from "./status-marks.ts";
import { ageInWords } from "./words.ts";

interface Listing {
  nowEpochMs: number;
  /** Default true: routine steps as well. */
  all?: boolean;
  highlight?: Highlight;
}

/** Prints the answer of a search as one list, best first, its words marked where the stream shows colour. */
export function renderSearch(io: Io, answer: SearchAnswer, listing: Listing): void {
  const question = searchedWords(answer);
  const highlight = io.color ? createHighlight(question, io.paint.yellow) : undefined;
  renderHits(io, searchList(answer, question), { ...listing, ...(highlight && { highlight }) });
}

/** Prints records in the given order; routine steps only with `all`. */
export function renderHits(
  io: Io,
  hits: readonly ListedHit[],
  { nowEpochMs, all = true, highlight = (line) => line }: Listing,
): void {
  const shown = (all ? hits : withoutSteps(hits)).map(resultOf);
  const idWidth = Math.max(0, ...shown.map(({ name }) => name.length));
  for (const result of shown) renderResult(io, result, { idWidth, nowEpochMs, highlight });
  const hidden = hits.length - shown.length;
  if (hidden > 0) io.out(`${" ".repeat(idWidth + 2)}${io.paint.dim(routineNote(hidden))}`);
}

// A prompt alone does not say what came of it.
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

interface Result {
  /** What `mem show` and `mem timeline` take. */
  name: string;
  title: string;
  /** What stands before project and age: the type of an observation. */
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
  // Without a terminal a title is one line, for grep.
  for (const [index, line] of (io.isTerminal ? wrapToWidth(title, room) : [title]).entries()) {
    io.out(`${index === 0 ? `${id}  ` : indent}${io.paint.bold(highlight(line))}`);
  }
  const tags = [...result.tags, ageInWords(result.created_at_epoch, nowEpochMs)]
    .map(terminalLine)
    .join(" · ");
  const below = [tags, beyond(title, terminalLine(result.preview))].filter((text) => text !== "").join("  ");
  io.out(`${indent}${io.paint.dim(highlight(io.isTerminal ? cutToWidth(below, room) : below))}`);
  for (const paragraph of result.paragraphs) {
    for (const line of wrapToWidth(terminalText(paragraph), room)) io.out(`${indent}${highlight(line)}`);
  }
}

// A preview often begins with its title: only the sentences that follow are worth the room.
function beyond(title: string, preview: string): string {
  const begin = title.replace(/…$/, "");
  const told = withoutRequest(begin, preview);
  if (begin.startsWith(told.replace(/…$/, ""))) return "";
  if (!told.startsWith(begin)) return told;
  // The title may end within a sentence, whose rest alone is a torn fragment.
  const remainder = told.slice(begin.replace(/[.!?:;]+$/, "").length);
  const boundary = nextSentence.exec(remainder);
  return boundary === null ? "" : remainder.slice(boundary[0].length);
}

// Past the end of the title, of the title's own sentence, or up to the next label of a summary.
const nextSentence =
  /^(?:[.!?:;]+["')\]]*\s+|.*?(?:[.!?]["')\]]*\s+|\s+(?=[A-Z][a-z]+(?: [a-z]+)?: )))(?=\S)/;

// The text of a summary names the request first, which is its title.
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
    ...foundBy(found),
  ];
  const common = { name: `#${found.id}`, title: found.title, tags };
  if ("preview" in found) return { ...common, ...quoteOf(found), ...rest(found), paragraphs: [] };
  const paragraphs = [
    found.narrative ?? found.summary,
    ...found.facts.map((fact) => `- ${fact}`),
    labelled("Read", found.files_read),
    labelled("Changed", found.files_modified),
  ];
  return { ...common, ...rest(found), preview: found.subtitle ?? "", paragraphs: filled(paragraphs) };
}

function summaryResult(found: SummaryHit): Result {
  const common = {
    name: `S${found.id}`,
    tags: ["summary", found.project, ...foundBy(found)],
    ...rest(found),
  };
  if ("preview" in found) return { ...common, title: found.title, preview: found.preview, paragraphs: [] };
  const [first = "", ...more] = found.summary_text.split("\n");
  const title = found.request ?? first;
  const lines = withoutRequest(title, first) === title ? more : [first, ...more];
  return { ...common, title, preview: "", paragraphs: filled(lines) };
}

function promptResult(found: PromptHit): Result {
  const common = { name: `P${found.id}`, tags: ["prompt", found.project, ...foundBy(found)], ...rest(found) };
  if ("preview" in found) return { ...common, title: found.title, preview: found.preview, paragraphs: [] };
  const [title = "", ...lines] = found.prompt_text.split("\n");
  return { ...common, title, preview: "", paragraphs: filled(lines) };
}

// The preview of a statement is the quote that its title cuts.
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

// That a record holds the words needs no saying; why one without them is here does.
function foundBy({ matched_by }: { matched_by: readonly MatchedBy[] }): string[] {
  if (matched_by.includes("open")) return ["open work"];
  if (matched_by.includes("words")) return [];
  const named = matched_by.map((leg) => legs.get(leg)).filter((name) => name !== undefined);
  return named.length === 0 ? [] : [`by ${named.join(" and ")}`];
}

function rest(found: { created_at_epoch: number }): { created_at_epoch: number } {
  return { created_at_epoch: found.created_at_epoch };
}

function labelled(label: string, paths: readonly string[]): string {
  return paths.length === 0 ? "" : `${label}: ${paths.join(", ")}`;
}

function filled(paragraphs: readonly string[]): string[] {
  return paragraphs.filter((paragraph) => paragraph.trim() !== "");
}

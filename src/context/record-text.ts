// The text of one record: its title, the marks behind the title, and the details below it.
import type { Observation, Parsed } from "../core/records/records.ts";
import { excerpt } from "../text/excerpt.ts";
import { unmergedNote } from "./branches.ts";
import type { ChangedFile } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { dayOf, plainLine } from "./quote.ts";

export interface Marked {
  pinned: boolean;
  /** How many equal records this one stands for. */
  times: number;
  /** Set for content from outside: only the title of such a record is shown. */
  untrusted: "web" | "mcp" | null;
  superseded: boolean;
  supersededBy: number | null;
  /** Its branch, where that is not merged. */
  unmerged: string | null;
  /** Files that changed since the record was written. */
  changed: readonly ChangedFile[];
}

/** The marks in brackets, each behind a space; empty when there are none. */
export function marksOf({
  pinned,
  times,
  untrusted,
  superseded,
  supersededBy,
  unmerged,
  changed,
}: Marked): string {
  const marks = [
    pinned ? "pinned" : null,
    times === 1 ? null : `x${times}`,
    untrusted && `from ${untrusted}`,
    superseded ? (supersededBy === null ? "superseded" : `superseded by #${supersededBy}`) : null,
    unmerged && unmergedNote(unmerged),
    changed.length === 0 ? null : `changed since: ${fileNames(changed)}`,
  ];
  return marks.map((mark) => (mark ? ` (${mark})` : "")).join("");
}

export function markedBy(
  observation: Pick<Observation, "provenance" | "status" | "superseded_by" | "pinned" | "unmerged">,
  times: number,
  changed: readonly ChangedFile[],
): Marked {
  const { provenance, status, superseded_by } = observation;
  const untrusted = untrustedSource(provenance);
  return {
    pinned: observation.pinned === 1 && status === "active",
    times,
    untrusted,
    superseded: status === "superseded",
    supersededBy: superseded_by,
    unmerged: observation.unmerged ?? null,
    changed: untrusted === null ? changed : [],
  };
}

/** Where an untrusted record is from; null for one of our own. */
export function untrustedSource(provenance: string): Marked["untrusted"] {
  return provenance === "web" || provenance === "mcp" ? provenance : null;
}

/** The title as one plain line, "" without one. A title from outside is short: its words are not our own. */
export function titleOf(
  { title, provenance }: { title: string; provenance: string },
  maxChars: number,
): string {
  return plainLine(
    title,
    untrustedSource(provenance) === null ? maxChars : Math.min(maxChars, maxOutsideChars),
  );
}

const maxOutsideChars = 60;
const maxNamed = 2;
const maxNameChars = 40;

function fileNames(files: readonly ChangedFile[]): string {
  const names = files.slice(0, maxNamed).map(({ path, is }) => {
    const last = path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
    const name = plainLine(last, maxNameChars) || "a file";
    return is === "gone" ? `${name} is gone` : name;
  });
  const more = files.length - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A list item without its details: id, day, type, title and marks. */
export function headLine(
  observation: Pick<Observation, "id" | "obs_type" | "created_at_epoch" | "title"> &
    Parameters<typeof markedBy>[0],
  changed: readonly ChangedFile[],
): { head: string; title: string; marked: Marked } {
  const marked = markedBy(observation, 1, changed);
  const title = titleOf(observation, maxChars.title) || "(untitled)";
  const type = plainLine(observation.obs_type, maxChars.type);
  const day = dayOf(observation.created_at_epoch);
  return { head: `- #${observation.id} ${day} ${type}: ${title}${marksOf(marked)}`, title, marked };
}

/**
 * The details of a record whose title is shown as `title`: the wanted field, else the other one, else the summary,
 * whichever first adds something to the title. Null when none does, and for content from outside.
 */
export function expandedLines(
  observation: Parsed<Observation>,
  title: string,
  field: ContextSettings["fullField"],
): string[] | null {
  if (untrustedSource(observation.provenance) !== null) return null;
  const inTitle = wordsOf(title);
  const facts = observation.facts.slice(0, maxFacts).map((fact) => plainLine(fact, maxChars.fact));
  const listed = facts.filter((fact) => addsWords(fact, inTitle));
  const story = beyondTitle(observation.narrative ?? "", title);
  const repeatsFacts = listed.length > 0 && !addsWords(story, wordsOf(`${title} ${listed.join(" ")}`));
  const stories = story === "" || repeatsFacts ? [] : [story];
  const wanted = (field === "facts" ? [listed, stories] : [stories, listed]).find(
    (lines) => lines.length > 0,
  );
  if (wanted !== undefined) return wanted;
  const summary = beyondTitle(observation.summary, title);
  return summary === "" ? null : [summary];
}

// Caps that keep one record from crowding out the others.
const maxChars = { title: 140, type: 60, story: 700, fact: 200 };
const maxFacts = 6;

/** The text from its first sentence that adds something to the title; empty when none does. */
export function beyondTitle(text: string, title: string): string {
  const inTitle = wordsOf(title);
  const sentences = withoutTitle(plainLine(text, title.length + maxChars.story), title).split(sentenceEnd);
  const first = sentences.findIndex((sentence) => addsWords(sentence, inTitle));
  return first === -1 ? "" : excerpt(sentences.slice(first).join(" "), maxChars.story);
}

const sentenceEnd = /(?<=[.!?…]) /;

function withoutTitle(text: string, title: string): string {
  const isCut = title.endsWith("…");
  const start = title.replace(/[.…]+$/, "");
  if (start === "" || text.slice(0, start.length).toLowerCase() !== start.toLowerCase()) return text;
  if (isCut) return behindCut(text, start.length);
  const rest = text.slice(start.length);
  if (/^[\p{L}\p{N}_]/u.test(rest)) return text;
  // A sentence that only begins with the title continues after three dots.
  return rest.startsWith(" ") ? `…${rest.trimStart()}` : rest.replace(/^[.:;,!…]+ */, "");
}

// A title may be cut within a word, which is then shown whole. The text may be cut at the same place as the title.
function behindCut(text: string, at: number): string {
  const same = /^[.…]+[.:;,! ]*/.exec(text.slice(at));
  if (same !== null) return text.slice(at + same[0].length);
  const torn = /\S+$/.exec(text.slice(0, at))?.[0] ?? "";
  const begin = torn.length <= longestTorn && !text.slice(at).startsWith(" ") ? at - torn.length : at;
  const rest = text.slice(begin).trimStart();
  // Neither half of a longer word says anything.
  return `…${begin === at && torn.length > longestTorn ? rest.replace(/^\S+\s*/, "") : rest}`;
}

const longestTorn = 30;

function addsWords(text: string, known: ReadonlySet<string>): boolean {
  for (const word of wordsOf(text)) if (!known.has(word)) return true;
  return false;
}

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => !fillers.has(word)));
}

// Words that carry no news by themselves. "not" and "no" do.
const fillers: ReadonlySet<string> = new Set(
  "a an and are as at been for from has have in is it its of on that the this to was were with".split(" "),
);

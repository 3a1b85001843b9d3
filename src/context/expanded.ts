// What stands under the title of an expanded record: only what the title does not say already.

import type { Observation, Parsed } from "../core/records/records.ts";
import { excerpt } from "../text/excerpt.ts";
import type { ContextSettings } from "./context-settings.ts";
import { plainLine } from "./plain-line.ts";

/**
 * The lines of a record whose title is shown as `title`: the wanted field, else the other one, else the one-sentence
 * summary, whichever first says something new. Null when none does, and for content from outside.
 */
export function expandedLines(
  observation: Parsed<Observation>,
  title: string,
  field: ContextSettings["fullField"],
): string[] | null {
  if (observation.provenance === "web" || observation.provenance === "mcp") return null;
  const said = wordsOf(title);
  const facts = observation.facts.slice(0, maxFacts).map((fact) => plainLine(fact, maxChars.fact));
  const listed = facts.filter((fact) => saysMore(fact, said));
  const story = beyondTitle(observation.narrative ?? "", title);
  // A story made of the facts' own words is the facts once more.
  const isFactsAgain = listed.length > 0 && !saysMore(story, wordsOf(`${title} ${listed.join(" ")}`));
  const stories = story === "" || isFactsAgain ? [] : [story];
  const wanted = (field === "facts" ? [listed, stories] : [stories, listed]).find(
    (lines) => lines.length > 0,
  );
  if (wanted !== undefined) return wanted;
  const summary = beyondTitle(observation.summary, title);
  return summary === "" ? null : [summary];
}

// Caps that keep one record from pushing out the others: a story is a paragraph.
const maxChars = { story: 700, fact: 200 };
const maxFacts = 6;

/** The text from the first sentence on that says more than the title; empty when there is none. */
export function beyondTitle(text: string, title: string): string {
  const said = wordsOf(title);
  const sentences = withoutTitle(plainLine(text, title.length + maxChars.story), title).split(sentenceEnd);
  const first = sentences.findIndex((sentence) => saysMore(sentence, said));
  return first === -1 ? "" : excerpt(sentences.slice(first).join(" "), maxChars.story);
}

const sentenceEnd = /(?<=[.!?…]) /;

// A sentence that only begins with the title goes on after three dots.
function withoutTitle(text: string, title: string): string {
  const isCut = title.endsWith("…");
  const start = title.replace(/[.…]+$/, "");
  if (start === "" || text.slice(0, start.length).toLowerCase() !== start.toLowerCase()) return text;
  if (isCut) return behindCut(text, start.length);
  const rest = text.slice(start.length);
  if (/^[\p{L}\p{N}_]/u.test(rest)) return text;
  return rest.startsWith(" ") ? `…${rest.trimStart()}` : rest.replace(/^[.:;,!…]+ */, "");
}

// A title may be cut within a word, which is told whole then; and the text may be cut where the title is.
function behindCut(text: string, at: number): string {
  const same = /^[.…]+[.:;,! ]*/.exec(text.slice(at));
  if (same !== null) return text.slice(at + same[0].length);
  const torn = /\S+$/.exec(text.slice(0, at))?.[0] ?? "";
  const begin = torn.length <= longestTorn && !text.slice(at).startsWith(" ") ? at - torn.length : at;
  const rest = text.slice(begin).trimStart();
  // Of a word that is longer than that, neither half says anything.
  return `…${begin === at && torn.length > longestTorn ? rest.replace(/^\S+\s*/, "") : rest}`;
}

const longestTorn = 30;

function saysMore(text: string, said: ReadonlySet<string>): boolean {
  for (const word of wordsOf(text)) if (!said.has(word)) return true;
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

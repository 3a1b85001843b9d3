// Replaces words that no record has by the nearest word that one has: most are typing errors.

import { respellingNote, unknownWordsNote } from "../core/records/respelling.ts";
import { editDistance } from "../text/edit-distance.ts";
import { identifierParts } from "../text/index-text.ts";
import { termsOf, wordsOf } from "../text/words.ts";
import { topicWords } from "./query.ts";
import { isInSomeRecord } from "./retrievers.ts";
import type { SearchedKind, SearchPort, SearchQuery } from "./search-port.ts";

interface Respelled {
  query: SearchQuery;
  /** One for each word that was replaced. */
  notes: string[];
}

/** The query with its unknown words replaced; null when every word is known, or no word is near. */
export function respell(port: SearchPort, query: SearchQuery): Respelled | null {
  const topic = [...new Set(topicWords(query.words))];
  if (topic.length > mostWords) return null;
  const unknown = topic.filter((word) => isUnknown(port, word));
  const isAlone = unknown.length === topic.length;
  const found = unknown.flatMap((word) => {
    const near = nearestTo(port, query, { word, isAlone });
    return near === null ? [] : [{ word, near }];
  });
  if (found.length === 0) return null;
  const words = found.reduce((text, { word, near }) => text.replace(wholeWord(word), near), query.words);
  return { query: { ...query, words }, notes: found.map(respellingNote) };
}

/** Notes which words are in no record, or in none of the searched project; `hasOthers`: the search has results. */
export function unknownWordNotes(
  port: SearchPort,
  query: SearchQuery,
  { hasOthers }: { hasOthers: boolean },
): string[] {
  const topic = [...new Set(topicWords(query.words))];
  if (topic.length > mostWords) return [];
  const unknown = topic.filter((word) => isUnknown(port, word) || !isInProject(port, query, word));
  return unknown.length === 0 ? [] : [unknownWordsNote(unknown, { hasOthers })];
}

// Whatever the other filters are.
function isInProject(port: SearchPort, query: SearchQuery, word: string): boolean {
  const { project } = query.filter;
  if (project === null || !plainWord.test(word)) return true;
  const filter = { project, obs_type: null, concepts: [], files: [], dateStart: null, dateEnd: null };
  const kinds = { observations: true, sessions: true, prompts: true };
  return isInSomeRecord(port, { ...query, words: word, filter, kinds, typeScope: [], only: undefined });
}

// A longer question has enough other words, and a pasted log has many unknown ones.
const mostWords = 8;
const plainWord = /^[a-z]{4,40}$/;

function isUnknown(port: SearchPort, word: string): boolean {
  const [term] = termsOf(word);
  if (term === undefined || !plainWord.test(word)) return false;
  const isKnown = ({ recordWith, termsFrom }: SearchedKind<object>) =>
    recordWith(term) !== undefined || termsFrom(word, 1).length > 0;
  return !kindsOf(port).some(isKnown);
}

function kindsOf({ observations, summaries, prompts }: SearchPort): SearchedKind<object>[] {
  return [observations, summaries, prompts];
}

interface Unknown {
  word: string;
  /** No word of the query is known. */
  isAlone: boolean;
}

// A word may also be inside others, which a search finds too.
function nearestTo(port: SearchPort, query: SearchQuery, { word, isAlone }: Unknown): string | null {
  const near = nearTerms(port, word, isAlone);
  if (near.length === 0 || isInsideWords(port, query, word)) return null;
  for (const { kind, term } of near) {
    const spelled = spellingOf(kind, term);
    if (spelled !== undefined && isInSomeRecord(port, { ...query, words: spelled })) return spelled;
  }
  return null;
}

interface Near {
  kind: SearchedKind<object>;
  term: string;
  distance: number;
  records: number;
}

function nearTerms(port: SearchPort, word: string, isAlone: boolean): Near[] {
  const stem = stemOf(word);
  // A doubled last letter changes the stem: `postgress`.
  const shorter = stemOf(word.slice(0, -1));
  const most = mostErrors(stem, isAlone);
  if (most === 0) return [];
  const near = new Map<string, Near>();
  const beginnings = new Set([...stem.slice(0, 2)]);
  for (const kind of kindsOf(port))
    for (const beginning of beginnings)
      for (const { term, records } of kind.termsFrom(beginning, mostTerms)) {
        const distance = Math.min(editDistance(stem, term, most), 1 + editDistance(shorter, term, most));
        const known = near.get(term);
        if (distance > most || term.length < shortestStem) continue;
        near.set(term, { kind, distance, ...known, term, records: records + (known?.records ?? 0) });
      }
  return [...near.values()]
    .sort((a, b) => a.distance - b.distance || b.records - a.records)
    .slice(0, mostTried);
}

function stemOf(word: string): string {
  return termsOf(word)[0] ?? word;
}

// Beside known words only certain errors are replaced: another word would change the question.
function mostErrors(stem: string, isAlone: boolean): number {
  if (stem.length < shortestStem + (isAlone ? 0 : 1)) return 0;
  return isAlone && stem.length >= longStem ? 2 : 1;
}

const shortestStem = 4;
const longStem = 7;
// Of one letter; about 20 ms.
const mostTerms = 50_000;
const mostTried = 5;

function isInsideWords(port: SearchPort, { filter }: SearchQuery, word: string): boolean {
  return kindsOf(port).some((kind) => kind.containing([word], filter, { limit: 1, offset: 0 }).length > 0);
}

/** A word of a record with this stem: a stem itself is not a word. */
function spellingOf(kind: SearchedKind<object>, term: string): string | undefined {
  const id = kind.recordWith(term);
  const record = id === undefined ? undefined : kind.byId(id);
  const texts = Object.values(record ?? {}).filter((value) => typeof value === "string");
  for (const { text } of wordsOf(texts.join("\n")))
    for (const spelled of [text.toLowerCase(), ...identifierParts(text)])
      if (termsOf(spelled)[0] === term) return spelled;
  return undefined;
}

function wholeWord(word: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${word}(?![A-Za-z0-9])`, "gi");
}

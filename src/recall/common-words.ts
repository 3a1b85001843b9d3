// Words that stand in very many records of a large store: to score each of those takes most of a search, and hardly one is
// an answer. The rarer words find what is scored, and of the common ones only as much is looked at as the order asks for.
import type { RecordFilter, Scored } from "../core/records/search.ts";
import { termsOf } from "../text/words.ts";
import { matchOf, matchPhrases, phraseMatch } from "./query.ts";

interface CountPort {
  /** How many records a match finds; with a term, one in a column, when it asks for that alone, in all records. */
  frequency(match: string, term?: string): number;
  population(project: string | null): number;
}

interface ScoresPort extends CountPort {
  scores(match: string, filter: RecordFilter, limit: number): Scored[];
}

interface Asked {
  words: string;
  filter: RecordFilter;
  columns: readonly string[];
  scope: readonly string[];
  /** How many records the project has. */
  population: number;
}

/** A single word of the question. */
interface CountedWord {
  phrase: string;
  term: string;
  /** In how many records of the scope. */
  count: number;
}

export interface SplitWords {
  /** The phrases that are looked for. */
  finding: readonly string[];
  /** Words that are not, rarest first; empty where all are looked for. */
  common: readonly CountedWord[];
  countOf(phrase: string): number | undefined;
}

/** Null where no word can be common. */
export function splitWords(port: CountPort, asked: Asked): SplitWords | null {
  const bound = Math.max(commonRecords, commonShare * port.population(null));
  if (asked.population <= bound) return null;
  const phrases = matchPhrases(asked.words);
  const counted = countWords(port, phrases, asked);
  const common: CountedWord[] = [];
  let found = 0;
  for (const word of counted) {
    if (found < enoughFound || word.count <= bound) found += word.count;
    else common.push(word);
  }
  common.splice(0, Math.max(0, common.length - maxCommon));
  const away = new Set(common.map(({ phrase }) => phrase));
  const counts = new Map(counted.map(({ phrase, count }) => [phrase, count]));
  return {
    finding: phrases.filter((phrase) => !away.has(phrase)),
    common,
    countOf: (phrase) => counts.get(phrase),
  };
}

// To score 1,000 records takes half a millisecond. In a larger store it is 3 %: what is rarer there tells records apart.
const commonRecords = 1_000;
const commonShare = 0.03;
// As long as the words stand in fewer records, the next one is looked for as well.
const enoughFound = 300;
// Each may take two matches.
const maxCommon = 5;

// A phrase of several words is in fewer records than each of them, and stays. Other scripts may be split otherwise by the
// index than in the terms.
function countWords(port: CountPort, phrases: readonly string[], { columns, scope }: Asked): CountedWord[] {
  return phrases
    .flatMap((phrase) => {
      const [term] = termsOf(phrase);
      if (term === undefined || !plainWord.test(phrase)) return [];
      const count = port.frequency(
        phraseMatch(phrase, columns, scope),
        scope.length === 0 ? term : undefined,
      );
      return [{ phrase, term, count }];
    })
    .sort((a, b) => a.count - b.count);
}

const plainWord = /^"[a-z0-9]+"$/;

interface Wanted extends Asked {
  split: SplitWords;
  limit: number;
}

/**
 * The best by all words, the same as one match of them all finds, though most records that hold only common ones are not
 * looked at: a word adds so much at most, and words that together add no more than the last of the best has bring no
 * record in. Each match gives a record that it finds its whole score, or less where another one finds it too.
 */
export function bestOfSplit(port: ScoresPort, wanted: Wanted): Scored[] {
  const { split, filter, columns, scope, limit } = wanted;
  const { finding, common } = split;
  const found = new Map<number, Scored>();
  const look = (terms: readonly string[]) => {
    const match = matchOf(terms, columns, scope);
    if (match !== null) for (const one of port.scores(match, filter, limit)) keepBest(found, one);
  };
  look(finding);
  look(both(finding, phrasesOf(common)));
  const most = common.map(createMost(port, wanted));
  for (const [at, { phrase }] of common.entries()) {
    const least = leastOf(found, limit);
    if (sum(most.slice(at)) <= least) break;
    look(both([phrase], [...finding, ...phrasesOf(common.filter((other) => other.phrase !== phrase))]));
    if ((most[at] ?? 0) > leastOf(found, limit)) look([phrase]);
  }
  return bestOf(found, limit);
}

function phrasesOf(words: readonly CountedWord[]): string[] {
  return words.map(({ phrase }) => phrase);
}

/** What holds one of these and one of those. */
function both(these: readonly string[], those: readonly string[]): string[] {
  if (these.length === 0 || those.length === 0) return [];
  return [`((${these.join(" OR ")}) AND (${those.join(" OR ")}))`];
}

function keepBest(found: Map<number, Scored>, one: Scored): void {
  const known = found.get(one.id);
  if (known === undefined || one.score < known.score) found.set(one.id, one);
}

function bestOf(found: ReadonlyMap<number, Scored>, limit: number): Scored[] {
  return [...found.values()].sort((a, b) => a.score - b.score || b.id - a.id).slice(0, limit);
}

/** What the last of the best has; 0 while there are too few. */
function leastOf(found: ReadonlyMap<number, Scored>, limit: number): number {
  return -(bestOf(found, limit)[limit - 1]?.score ?? 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

// FTS5 gives a word its weight times f * 2.2 / (f + length): less than 2.2 times, however often it is there. The weight
// is by all records, whatever the scope.
const mostOfWeight = 2.2;
const leastWeight = 1e-6;

function createMost(port: CountPort, { columns, scope }: Asked): (word: CountedWord) => number {
  const all = port.population(null);
  return ({ phrase, term, count }) => {
    const records = scope.length === 0 ? count : port.frequency(phraseMatch(phrase, columns, []), term);
    return mostOfWeight * Math.max(leastWeight, Math.log((all - records + 0.5) / (records + 0.5)));
  };
}

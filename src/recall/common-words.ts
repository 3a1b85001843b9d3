// Chooses the words of a question that find records. In a large store scoring all records with a common word takes most
// of a search, and hardly one is an answer.
import type { RecordFilter, Scored } from "../core/records/search.ts";
import { termsOf } from "../text/words.ts";
import { matchOf, matchPhrases, phraseMatch } from "./query.ts";
import type { CandidatePort, FrequencyPort } from "./search-port.ts";

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
  /** The phrases that are searched. */
  finding: readonly string[];
  /** Common words, which are not searched, rarest first. */
  common: readonly CountedWord[];
  countOf(phrase: string): number | undefined;
}

/** Separates common words; null when no word can be common. */
export function splitWords(port: FrequencyPort, asked: Asked): SplitWords | null {
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

// Scoring 1,000 records takes half a millisecond. In a larger store a word in less than 3 % of them is rare.
const commonRecords = 1_000;
const commonShare = 0.03;
// While the rare words find fewer records, the next word is searched too.
const enoughFound = 300;
// Each may cost two matches.
const maxCommon = 5;

// A phrase of several words is rarer than each of them, so it is always searched. The index may split other scripts
// differently from the terms.
function countWords(
  port: FrequencyPort,
  phrases: readonly string[],
  { columns, scope }: Asked,
): CountedWord[] {
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
 * The best records by all words, the same as one match of all words finds. Most records that hold only common words are
 * not read: each word adds a bounded score, and words that together add no more than the last of the best has cannot
 * bring a record in.
 */
export function bestOfSplit(port: CandidatePort, wanted: Wanted): Scored[] {
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

/** Records that hold one of each. */
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

/** The score of the last of the best; 0 while there are too few. */
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

function createMost(port: FrequencyPort, { columns, scope }: Asked): (word: CountedWord) => number {
  const all = port.population(null);
  return ({ phrase, term, count }) => {
    const records = scope.length === 0 ? count : port.frequency(phraseMatch(phrase, columns, []), term);
    return mostOfWeight * Math.max(leastWeight, Math.log((all - records + 0.5) / (records + 0.5)));
  };
}

export interface RareWords {
  /** The phrases to search, the rarest first. */
  phrases: readonly string[];
  /** In how many records a phrase is, if counted; other phrases are common. */
  countOf(phrase: string): number | undefined;
}

/**
 * The rarest phrases of a prompt, as many as match some thousand records together; all of them in a small project. A long
 * prompt would match nearly all of a large project. A common phrase finds no record; in records that other phrases find it
 * counts as in any search.
 */
export function rareWords(
  port: Pick<FrequencyPort, "frequencyUpTo">,
  { words, population, columns, scope }: Omit<Asked, "filter">,
): RareWords {
  const phrases = matchPhrases(words);
  if (population <= manyRecords) return { phrases, countOf: () => undefined };
  const counts = new Map<string, number>();
  const countOf = (phrase: string) => counts.get(phrase) ?? manyRecords;
  let rare = 0;
  // A long word is rare more often than a short one, and a name of several parts even more so.
  for (const phrase of [...phrases].sort((a, b) => b.length - a.length)) {
    const count = port.frequencyUpTo(phraseMatch(phrase, columns, scope), manyRecords);
    counts.set(phrase, count);
    if (count > 0 && count < rareRecords) rare += 1;
    if (rare === maxPhrases) break;
  }
  const rarest = phrases
    .filter((phrase) => countOf(phrase) > 0 && countOf(phrase) < manyRecords)
    .sort((a, b) => countOf(a) - countOf(b));
  let matched = 0;
  const chosen = rarest.slice(0, maxPhrases).filter((phrase, index) => {
    matched += countOf(phrase);
    return index === 0 || matched <= manyRecords;
  });
  return { phrases: chosen, countOf };
}

// A match costs a microsecond per row, and each phrase is counted in all projects.
const manyRecords = 2_000;
const rareRecords = 250;
const maxPhrases = 8;

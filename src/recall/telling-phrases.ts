// Of the words of a prompt those that tell records apart: a long prompt in a large project would match nearly all of it.
import { matchPhrases, phraseMatch } from "./query.ts";

interface CountPort {
  /** How many records a match finds; counting ends at `limit`. */
  frequencyUpTo(match: string, limit: number): number;
}

export interface TellingPhrases {
  /** What is looked for, the rarest first. */
  phrases: readonly string[];
  /** In how many records a phrase of the words is, if that was counted; the rest is common. */
  countOf(phrase: string): number | undefined;
}

interface Prompt {
  words: string;
  /** How many records the project has. */
  population: number;
  columns: readonly string[];
  scope: readonly string[];
}

/**
 * The rarest phrases of the words, as many as match some thousand records together; all where the project is small. A
 * phrase that is in thousands of records of its project says nothing of which are meant, so it brings none in; in those
 * that the others find it counts as it does in any search.
 */
export function tellingPhrases(
  port: CountPort,
  { words, population, columns, scope }: Prompt,
): TellingPhrases {
  const phrases = matchPhrases(words);
  if (population <= manyRecords) return { phrases, countOf: () => undefined };
  const counts = new Map<string, number>();
  const countOf = (phrase: string) => counts.get(phrase) ?? manyRecords;
  let rare = 0;
  // A long word is rare more often than a short one, and a name of several parts most of all.
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

// A match costs a microsecond a row, and for each phrase as much as it takes to count it in all projects.
const manyRecords = 2_000;
const rareRecords = 250;
const maxPhrases = 8;

// Ranks the records of a project for a prompt: shared words, words of their turn, and salience.
import type { QuotedRecord } from "../core/records/records.ts";
import { keptByAgent } from "../core/records/statement.ts";
import { topicTermsOf } from "../statements/text/topic-terms.ts";
import { textTokens } from "./budget.ts";
import type { EarlierPrompt } from "./context-port.ts";
import { type AskedFor, askedFor, type PromptKind } from "./prompt-kind.ts";
import {
  createTextCache,
  lossOfTakenUp,
  type TextCache,
  type Turns,
  takenUpBy,
  textOf,
  turnKey,
  turnsOf,
  withCompounds,
} from "./turns.ts";

export interface RankedRecords {
  asked: AskedFor;
  /** Best first; empty when nothing is relevant enough. */
  ranked: RankedRecord[];
}

export interface RankedRecord {
  record: QuotedRecord;
  score: number;
  /** Terms shared by the prompt and the record. */
  own: readonly string[];
  /** Terms shared with its turn only. */
  turn: readonly string[];
}

interface Past {
  records: readonly QuotedRecord[];
  prompts: readonly EarlierPrompt[];
}

export interface PromptRanking {
  /**
   * `known` records are not returned, but their words count for their turn. Lists that were compared with the same prompt last
   * are not compared again.
   */
  rank(
    prompt: string,
    past: Past,
    known: ReadonlySet<number>,
    /** Names of files that the session edits: among the relevant records, theirs come first. */
    edited?: readonly string[],
  ): RankedRecords;
}

/** `texts` is shared between prompts: each one is compared with the same records. */
export function createPromptRanking(texts: TextCache = createTextCache()): PromptRanking {
  let last: { prompt: string; past: Past; choose: Choose } | undefined;
  return {
    rank(prompt, past, known, edited = []) {
      const { records, prompts } = past;
      if (last?.prompt !== prompt || last.past.records !== records || last.past.prompts !== prompts)
        last = { prompt, past, choose: compared(prompt, past, texts) };
      return last.choose(known, edited);
    },
  };
}

type Choose = (known: ReadonlySet<number>, edited: readonly string[]) => RankedRecords;

function compared(prompt: string, past: Past, texts: TextCache): Choose {
  const asked = askedFor(prompt);
  const limit = past.records.some(({ generator }) => generator === keptByAgent) ? besideKept : alone;
  const terms = topicTermsOf(prompt).filter((term) => term.length > 1);
  // Open work needs no word in common with a prompt that takes named work up again. Any other short prompt is mostly an
  // order about the present work.
  const isShort = textTokens(prompt) < limit.tokens;
  const isResumed = limit === alone && asked.isResumed && (terms.length > 1 || !isShort);
  const leastShared = isResumed ? 0 : isShort ? limit.wordsOfShort : limit.words;
  const nothing = { asked, ranked: [] };
  // Most prompts of a session: they share too little whatever is stored.
  if (isShort && !isResumed && terms.length < limit.wordsOfShort) return () => nothing;
  const turns = turnsOf(past, texts);
  const found = foundIn(withCompounds(terms.slice(0, mostTerms), turns), turns, texts);
  const { gate, overlap, least } = limits[asked.kind];
  const scored = past.records
    .filter((record) => isRankable(record) && (limit === alone || !isWish(record)))
    .map((record) => scoreOf(record, found));
  const best = Math.max(...scored.filter((one) => one.overlap > overlap).map(({ score }) => score));
  if (best <= gate) return () => nothing;
  // Measured against the best record even if that one is known.
  const close = scored
    .filter((one) => one.score > Math.max(least, best - limit.spread) && one.shared >= leastShared)
    .sort(bestFirst);
  // The prompt itself is stored already.
  const prompts = past.prompts.filter((one) => one.prompt_text !== prompt);
  return (known, edited) => {
    const unknown = close.filter(({ record }) => !known.has(record.id));
    const fitting = withoutRepeats(lessTakenUp(unknown, prompts), past.records, known);
    const names = topicTermsOf(edited.join(" "));
    const named = names.length === 0 ? fitting : withNamesFirst(fitting, foundIn(names, turns, texts));
    const chosen = fewPerTurn(unmergedLower(named), asked).slice(0, limit.most);
    const ranked = chosen.map(({ record, score }) => ({ record, score, ...found.shared(record) }));
    return { asked, ranked };
  };
}

// What the user asked for once; where the agent keeps records, it kept what lasts.
function isWish({ said_by, standing }: QuotedRecord): boolean {
  return said_by === "user" && standing === 0;
}

// Leaves out sentences of little worth, and what `local` wrote of tool uses: a known fix comes with its command.
function isRankable({ salience, generator, said_by, standing }: QuotedRecord): boolean {
  if (generator !== "local" || standing === 1) return true;
  if (salience === null || said_by === "tool") return false;
  return salience >= (said_by === "user" ? leastSalience.user : leastSalience.agent);
}

// What a later prompt takes up again is worth less, or nothing.
function lessTakenUp(scored: readonly Scored[], prompts: readonly EarlierPrompt[]): readonly Scored[] {
  const takenUp = takenUpBy(prompts);
  return scored
    .flatMap((one) => {
      const { salience, standing } = one.record;
      if (salience === null || standing === 1) return one;
      const loss = lossOfTakenUp * takenUp(one.record);
      return isRankable({ ...one.record, salience: salience - loss })
        ? { ...one, score: one.score - weights.salience * loss }
        : [];
    })
    .sort(bestFirst);
}

interface Scored {
  record: QuotedRecord;
  score: number;
  /** Weight of the shared words. */
  overlap: number;
  /** How many words are shared; words of the turn alone count half. */
  shared: number;
}

function bestFirst(a: Scored, b: Scored): number {
  return b.score - a.score || b.record.id - a.record.id;
}

interface Found {
  /** Terms of the query that the record has, and those that only its turn has. */
  shared(record: QuotedRecord): { own: readonly string[]; turn: readonly string[] };
  /** The rarer, the more. */
  weightOf(term: string): number;
}

// Each text is asked once for the terms of the query, not once for every record of its turn.
function foundIn(query: readonly string[], turns: Turns, texts: TextCache): Found {
  const read = new Map<ReadonlySet<string>, readonly string[]>();
  const termsIn = (text: ReadonlySet<string>): readonly string[] => {
    const before = read.get(text);
    if (before !== undefined) return before;
    const terms = query.filter((term) => text.has(term));
    read.set(text, terms);
    return terms;
  };
  const ofTurn = new Map([...turns].map(([key, all]) => [key, new Set(all.flatMap(termsIn))]));
  const counts = new Map<string, number>();
  for (const terms of ofTurn.values())
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  // A young project has too few turns to tell a rare word from a common one.
  const count = Math.max(leastTurns, turns.size);
  return {
    shared(record) {
      const own = termsIn(texts.ofRecord(record));
      return { own, turn: [...(ofTurn.get(turnKey(record)) ?? [])].filter((term) => !own.includes(term)) };
    },
    weightOf(term) {
      const found = counts.get(term) ?? 0;
      return Math.log(1 + (count - found + 0.5) / (found + 0.5));
    },
  };
}

function scoreOf(record: QuotedRecord, { shared, weightOf }: Found): Scored {
  const { own, turn } = shared(record);
  const weight = (terms: readonly string[]): number => terms.reduce((sum, term) => sum + weightOf(term), 0);
  const count = (terms: readonly string[]): number =>
    terms.reduce((sum, term) => sum + (pairOfCjk.test(term) ? 0.5 : 1), 0);
  const [ofOwn, ofTurn] = [weight(own), weight(turn)];
  const salience = record.salience ?? salienceOfAccount[record.obs_type] ?? -2;
  const score =
    weights.own * ofOwn + weights.turn * ofTurn + weights.salience * Math.min(salience, mostSalience);
  return { record, score, overlap: ofOwn + ofTurn / 2, shared: count(own) + count(turn) / 2 };
}

function withNamesFirst(scored: readonly Scored[], { shared, weightOf }: Found): readonly Scored[] {
  return scored
    .map((one) => {
      const gain = shared(one.record).own.reduce((sum, name) => sum + weightOf(name), 0);
      return { ...one, score: one.score + weights.own * gain };
    })
    .sort(bestFirst);
}

// Behind the limits of relevance: a fitting record of another branch stays in.
function unmergedLower(scored: readonly Scored[]): readonly Scored[] {
  if (scored.every(({ record }) => record.unmerged === undefined)) return scored;
  return scored
    .map((one) => (one.record.unmerged === undefined ? one : { ...one, score: one.score - weights.unmerged }))
    .sort(bestFirst);
}

// Drops records whose text the reader has already.
function withoutRepeats(
  scored: readonly Scored[],
  records: readonly QuotedRecord[],
  known: ReadonlySet<number>,
): Scored[] {
  const said = new Set(records.filter(({ id }) => known.has(id)).map(textKey));
  return scored.filter(({ record }) => {
    const key = textKey(record);
    if (said.has(key)) return false;
    said.add(key);
    return true;
  });
}

function textKey(record: QuotedRecord): string {
  return textOf(record).toLowerCase();
}

// Few records per turn, so that other turns fit; more when the prompt resumes work.
function fewPerTurn(scored: readonly Scored[], { isResumed }: AskedFor): Scored[] {
  const counts = new Map<string, number>();
  const most = isResumed ? mostOfResumed : mostPerTurn;
  return scored
    .flatMap((one) => {
      const key = turnKey(one.record);
      const before = counts.get(key) ?? 0;
      if (before === most) return [];
      counts.set(key, before + 1);
      return isResumed ? one : { ...one, score: one.score - weights.sameTurn * before };
    })
    .sort(bestFirst);
}

// Chosen on two development sets by two authors (152 scenarios) so that unrelated prompts get nothing, as
// `npm run bench -- delivery` measures it.
const weights = { own: 1.45, turn: 1.3, salience: 1.3, sameTurn: 2, unmerged: 2 };
const limits: Record<PromptKind, { gate: number; overlap: number; least: number }> = {
  general: { gate: 14, overlap: 7, least: 7 },
  unknown: { gate: 5.5, overlap: 2.5, least: 1 },
  work: { gate: 2, overlap: 0, least: 1 },
};
const mostPerTurn = 3;
const mostOfResumed = 6;
// Caps the salience of rules, which still have to match the prompt.
const mostSalience = 3;
// Where the agent keeps records, the start has what matters: of 845 lines given with the prompts of labelled sessions 40 %
// helped, and with this least number of shared words 59 of 64 prompts that need nothing get nothing (62 with a word more, but
// then 4 of 109 needed facts are missing).
// Alone the length decides: of the labelled prompts that need nothing 53 of 64 are shorter than 12 tokens or general talk, of
// those that a record answers one in six.
const besideKept = { words: 1.5, wordsOfShort: 3, most: 5, tokens: 10, spread: 8 };
const alone = { words: 0.25, wordsOfShort: 2, most: 8, tokens: 12, spread: 3 };
const leastSalience = { user: -2, agent: -0.5 };
const leastTurns = 50;
const mostTerms = 80;

// Every two neighbours are a term: a word of four has three.
const pairOfCjk = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2}$/u;

/** Salience of records that are not statements, by type. */
const salienceOfAccount: Readonly<Record<string, number>> = { decision: 0, bugfix: 0, feature: -1 };

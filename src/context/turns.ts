// Turns of a project: the terms of their texts, and which statement of a turn repeats another.
import { RecentMap, remembering } from "../core/recent-map.ts";
import type { QuotedRecord } from "../core/records/records.ts";
import { tellsOfProblem } from "../statements/salience.ts";
import { namesIn } from "../statements/text/names.ts";
import { tellingTermsOf, topicTermsOf } from "../statements/text/topic-terms.ts";
import { cueOf } from "../text/cue-pattern.ts";
import type { EarlierPrompt } from "./context-port.ts";

export type OfTurn = Pick<QuotedRecord, "id" | "sdk_session_id" | "prompt_number">;

/** Key of the turn of a record or a prompt; a record without a turn has a unique key. */
export function turnKey({ id, sdk_session_id, prompt_number }: OfTurn): string {
  return prompt_number === null ? `#${id}` : `${sdk_session_id}:${prompt_number}`;
}

/** By the key of a turn, the terms of each of its texts: joining the sets takes a third of the time of a ranking. */
export type Turns = ReadonlyMap<string, readonly ReadonlySet<string>[]>;

/** The terms of each turn: of its records, its prompt, and the few prompts before it in the session. */
export function turnsOf(
  { records, prompts }: { records: readonly QuotedRecord[]; prompts: readonly EarlierPrompt[] },
  texts: TextCache,
): Turns {
  const turns = new Map<string, ReadonlySet<string>[]>();
  const add = (key: string, ...more: ReadonlySet<string>[]): void => {
    const texts = turns.get(key);
    if (texts === undefined) turns.set(key, more);
    else texts.push(...more);
  };
  const bySession = new Map<string, ReadonlySet<string>[]>();
  for (const prompt of prompts.toSorted((a, b) => a.prompt_number - b.prompt_number)) {
    const asked = bySession.get(prompt.sdk_session_id) ?? [];
    bySession.set(prompt.sdk_session_id, asked);
    asked.push(termsOfPrompt(prompt));
    add(turnKey(prompt), ...asked.slice(-promptsOfTurn));
  }
  for (const record of records) if (record.salience !== null) add(turnKey(record), texts.ofRecord(record));
  return turns;
}

/**
 * Of the telling terms of a record, the share that one prompt after its turn has: what the user takes up again is mostly
 * replaced or done. `prompts` are newest first.
 */
export function takenUpBy(
  prompts: readonly EarlierPrompt[],
): (record: Refusable & Pick<QuotedRecord, "summary">) => number {
  const places = new Map(prompts.map((prompt, at) => [turnKey(prompt), at]));
  const withTerm = new Map<string, number[]>();
  for (const [at, prompt] of prompts.entries())
    for (const term of termsOfPrompt(prompt)) {
      const found = withTerm.get(term);
      if (found === undefined) withTerm.set(term, [at]);
      else found.push(at);
    }
  const shares = new Map<number, number>();
  return (record) => {
    const known = shares.get(record.id) ?? shareOf(record);
    shares.set(record.id, known);
    return known;
  };
  function shareOf(record: Refusable & Pick<QuotedRecord, "summary">): number {
    const terms = tellingTermsIn(record.summary);
    const own = places.get(turnKey(record)) ?? prompts.length;
    const shared = new Map<number, number>();
    for (const term of terms)
      for (const at of withTerm.get(term) ?? []) if (at < own) shared.set(at, (shared.get(at) ?? 0) + 1);
    if (isRefused(prompts[own - 1], record)) return lossOfRefused;
    return Math.max(0, ...shared.values()) / Math.max(1, terms.length);
  }
}

// "No, only these columns" takes back the turn before; with "still broken" the user's own words of it hold.
function isRefused(next: EarlierPrompt | undefined, { sdk_session_id, prompt_number, said_by }: Refusable) {
  if (next?.sdk_session_id !== sdk_session_id || next.prompt_number !== (prompt_number ?? 0) + 1)
    return false;
  if (!refusal.test(next.prompt_text)) return false;
  return said_by !== "user" || !tellsOfProblem(next.prompt_text);
}

type Refusable = OfTurn & Pick<QuotedRecord, "said_by">;
const refusal = cueOf(
  {
    words: `(?:no|nope|nein|non|não|нет)(?= ?[,.!:;–—-])|wrong|not (?:like that|what i)|undo|revert (?:it|that)|still (?:broken|wrong|not|the same)|falsch|errado|неправильно|неверно`,
    runs: "不对|不是(?:这样|的)|错了|違います|違う",
  },
  "^\\W*",
);
const lossOfRefused = 3;

/** What a statement loses in salience when a later prompt has all of its terms; fitted with the model of closings. */
export const lossOfTakenUp = 1.1;

const tellingTermsIn = remembering(tellingTermsOf, 4_000);
const termsOfPrompt = ({ prompt_text }: EarlierPrompt) => termsOfText(prompt_text.slice(0, maxChars));
const termsOfText = remembering((text): ReadonlySet<string> => new Set(topicTermsOf(text)), 4_000);

/**
 * The query with terms of the turns that begin or end with a long term of it, and the reverse: in German and related
 * languages `Testumstellung` asks for `Umstellung` too.
 */
export function withCompounds(query: readonly string[], turns: Turns): string[] {
  const found = new Set(query);
  const parts = query.filter((term) => term.length >= leastPart);
  if (parts.length === 0) return [...query];
  const seen = new Set<string>();
  for (const terms of new Set([...turns.values()].flat()))
    for (const term of terms) {
      if (term.length < leastPart || seen.has(term)) continue;
      seen.add(term);
      if (parts.some((part) => isPartOf(term, part) || isPartOf(part, term))) found.add(term);
    }
  return [...found];
}

function isPartOf(part: string, whole: string): boolean {
  const isLonger = whole.length >= leastCompound && whole.length > part.length + 2;
  return isLonger && (whole.startsWith(part) || whole.endsWith(part));
}

/** The text by which a record is compared. */
export function textOf({ title, summary, salience }: QuotedRecord): string {
  return salience === null ? `${title} ${summary}` : summary;
}

export type TextCache = ReturnType<typeof createTextCache>;

/** Caches the terms of records: parsing 2,000 records takes about 0.2 s. */
export function createTextCache() {
  const cached = new RecentMap<string, ReadonlySet<string>>(maxCached);
  return {
    ofRecord(record: QuotedRecord): ReadonlySet<string> {
      const key = keyOf(record);
      const known = cached.get(key);
      if (known !== undefined) return known;
      const terms = new Set(topicTermsOf(textOf(record).slice(0, maxChars)));
      cached.set(key, terms);
      return terms;
    },
  };
}

/** Key of a record's text: another revision has another one. */
function keyOf({ id, revision }: QuotedRecord): string {
  return `o${id}.${revision}`;
}

/** The terms of a text, and whether others have all of its names and numbers and most of its terms. */
export function readAddition(text: string) {
  const terms = topicTermsOf(text);
  let specific: readonly string[] | undefined;
  return {
    terms,
    isNothingBeside(known: ReadonlySet<string>): boolean {
      const common = terms.filter((term) => known.has(term)).length;
      if (common < terms.length * leastShare) return false;
      specific ??= [
        ...namesIn(text).flatMap((name) => topicTermsOf(name)),
        ...terms.filter((term) => /\d/.test(term)),
      ];
      return specific.every((term) => known.has(term));
    },
  };
}

/** Records grouped by turn, turns in the order of their first record. A record that `standsAlone` has no turn. */
export function byTurn<R extends OfTurn>(
  records: readonly R[],
  standsAlone: (record: R) => boolean = () => false,
): { record: R; isFirst: boolean }[] {
  const turns = new Map<string, R[]>();
  for (const record of records) {
    const key = standsAlone(record) ? `#${record.id}` : turnKey(record);
    turns.set(key, [...(turns.get(key) ?? []), record]);
  }
  return [...turns.values()].flatMap((turn) => turn.map((record, at) => ({ record, isFirst: at === 0 })));
}

const leastShare = 0.7;
const promptsOfTurn = 4;
const leastPart = 5;
const leastCompound = 9;
const maxChars = 2000;
// About 5 MB.
const maxCached = 12_000;

// The turns of a project as prompts are compared with them: the terms of their texts, and what their prompts asked for.
import type { QuotedRecord } from "../core/records/records.ts";
import { isPlainRequest } from "../statements/plain-request.ts";
import { type ClosingCue, closingCuesOf } from "../statements/text/sentence-cues.ts";
import { topicTermsOf } from "../statements/text/topic-terms.ts";
import { askedFor, type Intent } from "./prompt-kind.ts";

/** What the user typed in an earlier turn. */
export interface EarlierPrompt {
  id: number;
  sdk_session_id: string;
  prompt_number: number;
  prompt_text: string;
}

/** What a turn is about, by its key. */
export type Turns = ReadonlyMap<string, { terms: ReadonlySet<string>; intents: ReadonlySet<Intent> }>;

/** The terms of each turn: of its records, its prompt, and the few prompts before it in the session. */
export function turnsOf(
  { records, prompts }: { records: readonly QuotedRecord[]; prompts: readonly EarlierPrompt[] },
  texts: TextMemory,
): Turns {
  const turns = new Map<string, { terms: Set<string>; intents: ReadonlySet<Intent> }>();
  const turnOf = (key: string) => {
    const turn = turns.get(key) ?? { terms: new Set(), intents: new Set() };
    turns.set(key, turn);
    return turn;
  };
  const add = (key: string, more: ReadonlySet<string>): void => {
    const { terms } = turnOf(key);
    for (const term of more) terms.add(term);
  };
  const bySession = new Map<string, ReadonlySet<string>[]>();
  for (const prompt of prompts.toSorted((a, b) => a.prompt_number - b.prompt_number)) {
    const asked = bySession.get(prompt.sdk_session_id) ?? [];
    bySession.set(prompt.sdk_session_id, asked);
    const read = texts.of(`p${prompt.id}`, prompt.prompt_text);
    asked.push(read.terms);
    for (const terms of asked.slice(-promptsOfTurn)) add(turnKey(prompt), terms);
    turnOf(turnKey(prompt)).intents = read.intents();
  }
  for (const record of records)
    if (record.salience !== null) add(turnKey(record), texts.of(keyOf(record), textOf(record)).terms);
  return turns;
}

/**
 * With the words that a long word of the prompt has as its beginning or end, and the reverse: in German and its relatives
 * `Testumstellung` asks for `Umstellung` too.
 */
export function withCompounds(query: readonly string[], turns: Turns): string[] {
  const found = new Set(query);
  const parts = query.filter((term) => term.length >= leastPart);
  if (parts.length === 0) return [...query];
  const seen = new Set<string>();
  for (const { terms } of turns.values())
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

/** Names the turn of a record or a prompt; a record that belongs to no turn stands alone. */
export function turnKey({ id, sdk_session_id, prompt_number }: OfTurn): string {
  return prompt_number === null ? `#${id}` : `${sdk_session_id}:${prompt_number}`;
}

export type OfTurn = Pick<QuotedRecord, "id" | "sdk_session_id" | "prompt_number">;

export function textOf({ title, summary, salience }: QuotedRecord): string {
  return salience === null ? `${title} ${summary}` : summary;
}

export function keyOf({ id, revision }: QuotedRecord): string {
  return `o${id}.${revision}`;
}

interface ReadText {
  terms: ReadonlySet<string>;
  cues: ReadonlySet<ClosingCue>;
  intents(): ReadonlySet<Intent>;
  /** It only asks for work of its own turn. */
  isRequest(): boolean;
}

export interface TextMemory {
  of(key: string, text: string): ReadText;
}

// To read the texts of 2,000 records takes about 0.2 s; what was read is kept.
export function createTextMemory(): TextMemory {
  const kept = new Map<string, ReadText>();
  return {
    of(key, text) {
      const known = kept.get(key);
      if (known !== undefined) return known;
      if (kept.size >= mostKept) kept.clear();
      const read = text.slice(0, mostChars);
      let intents: ReadonlySet<Intent> | undefined;
      let isRequest: boolean | undefined;
      const made = {
        terms: new Set(topicTermsOf(read)),
        cues: closingCuesOf(read),
        intents: () => (intents ??= askedFor(read).intents),
        isRequest: () => (isRequest ??= isPlainRequest(read)),
      };
      kept.set(key, made);
      return made;
    },
  };
}

const promptsOfTurn = 4;
const leastPart = 5;
const leastCompound = 9;
const mostChars = 2000;
// About 5 MB.
const mostKept = 12_000;

// One ranked list of observations, summaries and prompts: answers first, questions and routine steps last.
import type { SearchAnswer } from "../client/worker-client.ts";
import { type Observation, parseLists } from "../core/records/records.ts";
import { respellingOf } from "../core/records/respelling.ts";
import { termsOf } from "../text/words.ts";

export type ObservationHit = SearchAnswer["observations"][number];
export type SummaryHit = SearchAnswer["sessions"][number];
export type PromptHit = SearchAnswer["prompts"][number];

export type ListedHit =
  | { kind: "observation"; found: ObservationHit }
  | { kind: "session"; found: SummaryHit }
  | { kind: "prompt"; found: PromptHit };

export type Hits = Pick<SearchAnswer, "observations" | "sessions" | "prompts">;

/** An observation as JSON: as in the answer of a search, with its lists parsed. */
export function observationAsJson(observation: Observation): object {
  return { kind: "observation", ...parseLists(observation) };
}

/** A hit as JSON: the record with its kind. */
export function hitAsJson({ kind, found }: ListedHit): object {
  return { kind, ...found };
}

/** The hits in the order of the answer, one kind after the other. */
function hitsByKind({ observations, sessions, prompts }: Hits): ListedHit[] {
  return [
    ...observations.map((found) => ({ kind: "observation" as const, found })),
    ...sessions.map((found) => ({ kind: "session" as const, found })),
    ...prompts.map((found) => ({ kind: "prompt" as const, found })),
  ];
}

/** Best first for a question, newest first without one. Leaves out a text that a hit of another kind has. */
export function searchList(answer: Hits, question: string): ListedHit[] {
  const hits = hitsByKind(answer);
  if (hits.every(({ found }) => found.rank === undefined))
    return hits.sort((a, b) => b.found.created_at_epoch - a.found.created_at_epoch);
  const terms = new Set(termsOf(question));
  const best = bestRanks(hits);
  const scored = hits.map((hit) => ({ hit, score: scoreOf(hit, terms, best[hit.kind]) }));
  return withoutRepeats(scored.sort((a, b) => b.score - a.score).map(({ hit }) => hit));
}

/** A part of a list of all kinds. */
export interface Page {
  limit: number;
  offset: number;
}

export function pageOf<H>(hits: readonly H[], { limit, offset }: Page): H[] {
  return hits.slice(offset, offset + limit);
}

/** The searched words: the question, and the known words that replaced unknown ones. */
export function searchedWords({ query, notes }: Pick<SearchAnswer, "query" | "notes">): string {
  return [query, ...notes.flatMap((note) => respellingOf(note)?.near ?? [])].join(" ");
}

// A record may be found by its turn and have no word of the question itself.
const weights = { words: 1.5, rank: 0.4 };
const ofKind = { rule: 1.3, statement: 0.8, summary: 0.75, account: 0.4, prompt: 0 };
const openGain = 5;
const losses = { superseded: 0.5, routine: 10 };

function scoreOf(hit: ListedHit, terms: ReadonlySet<string>, bestRank: number): number {
  const words = shareOf(terms, textOf(hit.found));
  const rank = hit.found.rank === undefined ? 0 : Math.max(0, hit.found.rank / bestRank);
  // Open work answers a question for it, whatever its words.
  const open = hit.found.matched_by.includes("open") ? openGain : 0;
  return open + weights.words * words + weights.rank * rank + gainOf(hit);
}

function gainOf({ kind, found }: ListedHit): number {
  switch (kind) {
    case "observation": {
      const { said_by, standing, routine, status } = found;
      const isStatement = said_by !== undefined && said_by !== null;
      const own = standing === 1 ? ofKind.rule : isStatement ? ofKind.statement : ofKind.account;
      return own - (routine === 1 ? losses.routine : 0) - (status === "superseded" ? losses.superseded : 0);
    }
    case "session":
      return ofKind.summary;
    case "prompt":
      return ofKind.prompt;
    default:
      return kind satisfies never;
  }
}

function shareOf(terms: ReadonlySet<string>, text: string): number {
  if (terms.size === 0) return 0;
  const own = new Set(termsOf(text));
  return [...terms].filter((term) => own.has(term)).length / terms.size;
}

function textOf(found: ListedHit["found"]): string {
  if ("preview" in found) return `${found.title} ${found.preview}`;
  if ("prompt_text" in found) return found.prompt_text;
  if ("summary_text" in found) return found.summary_text;
  return [found.title, found.summary, found.narrative ?? "", ...found.facts].join(" ");
}

/** The best rank of each kind: ranks of different kinds do not compare. */
function bestRanks(hits: readonly ListedHit[]): Record<ListedHit["kind"], number> {
  const best = { observation: -Number.MIN_VALUE, session: -Number.MIN_VALUE, prompt: -Number.MIN_VALUE };
  for (const { kind, found } of hits) best[kind] = Math.min(best[kind], found.rank ?? 0);
  return best;
}

// The last message of a session is in its summary and a statement too; a prompt may be a statement.
function withoutRepeats(hits: readonly ListedHit[]): ListedHit[] {
  const shown: { kind: ListedHit["kind"]; text: string }[] = [];
  return hits.filter(({ kind, found }) => {
    const text = openingOf(found);
    if (text.length < shortestRepeat) return true;
    const isSame = (other: string) => other.startsWith(text) || text.startsWith(other);
    const isRepeat = shown.some((one) => one.kind !== kind && isSame(one.text));
    shown.push({ kind, text });
    return !isRepeat;
  });
}

const shortestRepeat = 24;

function openingOf(found: ListedHit["found"]): string {
  const text = "title" in found ? found.title : textOf(found);
  return text.replace(/[….!?:;\s]+$/u, "").toLowerCase();
}

// The hits of a search for the command line.
import type { SearchAnswer } from "../client/worker-client.ts";
import type { FoundHit } from "../core/records/found-list.ts";
import { type Observation, parseLists } from "../core/records/records.ts";
import { respellingOf } from "../core/records/respelling.ts";

export type ObservationHit = SearchAnswer["observations"][number];
export type SummaryHit = SearchAnswer["sessions"][number];
export type PromptHit = SearchAnswer["prompts"][number];

export type ListedHit = FoundHit<ObservationHit, SummaryHit, PromptHit>;

/** An observation as JSON: as in the answer of a search, with its lists parsed. */
export function observationAsJson(observation: Observation): object {
  return { kind: "observation", ...parseLists(observation) };
}

/** A hit as JSON: the record with its kind. */
export function hitAsJson({ kind, found }: ListedHit): object {
  return { kind, ...found };
}

/** The searched words: the question, and the known words that replaced unknown ones. */
export function searchedWords({ query, notes }: Pick<SearchAnswer, "query" | "notes">): string {
  return [query, ...notes.flatMap((note) => respellingOf(note)?.near ?? [])].join(" ");
}

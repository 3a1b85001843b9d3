// Search: words and filters in, the records of each kind out, best first.
import {
  type Observation,
  type Parsed,
  parseLists,
  type SessionSummary,
  type UserPrompt,
} from "../core/records/records.ts";
import { projectToken, typeToken } from "../core/records/scope-token.ts";
import {
  type IndexHit,
  type ObservationIndexHit,
  observationLine,
  promptHit,
  type Ranked,
  summaryHit,
} from "./hits.ts";
import { respelled, unknownNotes } from "./misspelled.ts";
import { within } from "./named-times.ts";
import { isEmpty, type ListNewest, recordsOfTime, withTimeNote } from "./of-time.ts";
import { otherPrompts } from "./other-prompts.ts";
import { type MatchedBy, nearestCount } from "./rank-observations.ts";
import { type RatherOfTime, readTime } from "./read-time.ts";
import { isFiltered, newestSelected, withNewest, withSelected } from "./selected.ts";
import { wordsInstead } from "./time-notes.ts";
import type { VectorAnswer } from "./vector-leg.ts";
import {
  type Asked,
  beginnings,
  byWords,
  type Chosen,
  insideWords,
  isInSomeRecord,
  isWholeInSomeRecord,
  newest,
  type SearchPort,
  type Way,
} from "./ways.ts";

/** A search as `/api/search` takes it; no `query` (or an empty one) means filters only, newest first. */
export interface SearchRequest {
  query?: string | undefined;
  /** One kind only; sessions are session summaries. */
  type?: "observations" | "sessions" | "prompts" | undefined;
  format: "index" | "full";
  /** Per kind. */
  limit: number;
  offset?: number | undefined;
  project?: string | undefined;
  obs_type?: string | undefined;
  concepts?: readonly string[] | undefined;
  files?: readonly string[] | undefined;
  /** Epoch milliseconds, both ends included. */
  dateStart?: number | undefined;
  dateEnd?: number | undefined;
  /** The words are what a user asks an agent: of many only those that tell records apart are looked for, and no parts. */
  isPrompt?: boolean | undefined;
}

/** A hit with its score, if there were words, and what found it. */
export type Found<R> = Ranked<R> & { matched_by: MatchedBy[] };

/** The answer; a kind that a filter cannot apply to (a prompt has no type, concepts or files) stays empty. */
export interface SearchResults {
  observations: Found<ObservationIndexHit | Parsed<Observation>>[];
  sessions: Found<IndexHit | Parsed<SessionSummary>>[];
  prompts: Found<IndexHit | UserPrompt>[];
  /** What the reader should know of the answer, such as a part of the search that was not available. */
  notes: string[];
}

export interface Search {
  search(request: SearchRequest): Promise<SearchResults>;
}

/** Search over the records that `port` reaches. */
export function createSearch(whole: SearchPort): Search {
  return {
    async search(request) {
      const plain = askedOf(request, whole);
      if (plain === null) return nothing();
      const hasQuestion = plain.words !== "" && plain.kinds.prompts;
      const port = hasQuestion ? { ...whole, prompts: otherPrompts(whole.prompts, plain) } : whole;
      const list: ListNewest = async (one) =>
        run(port, request, one, isFiltered(one.filter) ? await newestSelected(port, one) : newest);
      if (plain.words === "") return list(plain);
      const time = readTime(plain.words, port.now());
      if (time?.is === "rather") {
        const found = await byTopic(port, request, ofThenFirst(port, plain, time));
        if (plain.isPrompt) return found;
        return isEmpty(found) ? recordsOfTime(plain, time, list) : withTimeNote(found, time);
      }
      const isOfWords = time === null || (time.span === null && isWholeInSomeRecord(port, plain));
      if (!isOfWords) return recordsOfTime(plain, time, list);
      const found = await byTopic(port, request, plain);
      return time === null ? found : { ...found, notes: [...found.notes, wordsInstead] };
    },
  };
}

// A time that nothing is of tells the records of no other apart; then its words may as well be those of a text.
function ofThenFirst(port: SearchPort, asked: Asked, { words, span }: RatherOfTime): Asked {
  const filter = { ...asked.filter, ...within(span, asked.filter) };
  const { kinds } = asked;
  const searched = [
    ...(kinds.observations ? [port.observations] : []),
    ...(kinds.sessions ? [port.summaries] : []),
    ...(kinds.prompts ? [port.prompts] : []),
  ];
  const isAny = searched.some((kind) => kind.scan(filter, 1, null).ids.length > 0);
  return isAny ? { ...asked, words: words.trim(), span } : asked;
}

async function byTopic(port: SearchPort, request: SearchRequest, plain: Asked): Promise<SearchResults> {
  if (plain.isPrompt) return byKnownWords(port, request, plain);
  const read = respelled(port, plain);
  const found = await byKnownWords(port, request, read?.asked ?? plain);
  const notes = read?.notes ?? (isEmpty(found) ? unknownNotes(port, plain) : []);
  return { ...found, notes: [...found.notes, ...notes] };
}

async function byKnownWords(port: SearchPort, request: SearchRequest, plain: Asked): Promise<SearchResults> {
  const asked = await withSelected(port, plain);
  const vectors = await vectorsFor(port, request, asked);
  const found = run(port, request, asked, byWords(vectors));
  if (vectors.state === "unavailable") found.notes.push(wordsOnly(vectors.reason));
  if (asked.isPrompt || hasWords(found) || isInSomeRecord(port, asked)) return found;
  const begun = beginnings(port, asked);
  const parts =
    begun === null
      ? run(port, request, await withNewest(port, asked), insideWords)
      : run(port, request, asked, begun);
  return isEmpty(parts) ? found : { ...parts, notes: found.notes };
}

async function vectorsFor(port: SearchPort, { type }: SearchRequest, asked: Asked): Promise<VectorAnswer> {
  if (port.vectors === undefined || (type ?? "observations") !== "observations") return { state: "off" };
  return port.vectors.nearest({ text: asked.words, project: asked.filter.project, limit: nearestCount });
}

function wordsOnly(reason: string): string {
  return `Searched by words only: the search by meaning is not available (${reason}).`;
}

function askedOf(request: SearchRequest, port: SearchPort): Asked | null {
  const { project, obs_type } = request;
  const scope: string[] = [];
  if (project !== undefined) {
    const id = port.projectId(project);
    if (id === undefined) return null;
    scope.push(projectToken(id));
  }
  return {
    words: request.query?.trim() ?? "",
    scope,
    typeScope: obs_type === undefined ? [] : [typeToken(obs_type)],
    page: { limit: request.limit, offset: request.offset ?? 0 },
    kinds: kindsOf(request),
    isPrompt: request.isPrompt ?? false,
    filter: {
      project: project ?? null,
      obs_type: obs_type ?? null,
      concepts: request.concepts ?? [],
      files: request.files ?? [],
      dateStart: request.dateStart ?? null,
      dateEnd: request.dateEnd ?? null,
    },
  };
}

// Only an observation has a type, and a prompt has no concepts or files either.
function kindsOf({ type, obs_type, concepts = [], files = [] }: SearchRequest): Asked["kinds"] {
  return {
    observations: type === undefined || type === "observations",
    sessions: (type === undefined || type === "sessions") && obs_type === undefined,
    prompts:
      (type === undefined || type === "prompts") &&
      obs_type === undefined &&
      concepts.length === 0 &&
      files.length === 0,
  };
}

function run(port: SearchPort, { format }: SearchRequest, asked: Asked, way: Way): SearchResults {
  const { observations, summaries, prompts } = port;
  const {
    kinds,
    filter: { project },
  } = asked;
  const chosen = kinds.observations ? way.observations(observations, asked) : [];
  return {
    observations:
      format === "full"
        ? read({ byId: observations.byId, project }, chosen, parseLists)
        : read({ byId: linesOf(observations, chosen), project }, chosen, observationLine),
    sessions: kinds.sessions
      ? read({ byId: summaries.byId, project }, way.others(summaries, asked), (record) =>
          summaryHit(record, format),
        )
      : [],
    prompts: kinds.prompts
      ? read({ byId: prompts.byId, project }, way.others(prompts, asked), (record) =>
          promptHit(record, format),
        )
      : [],
    notes: [],
  };
}

function linesOf(port: SearchPort["observations"], chosen: readonly Chosen[]) {
  const lines = new Map(port.lines(chosen.map(({ id }) => id)).map((line) => [line.id, line]));
  return (id: number) => lines.get(id);
}

// The scope token in the match is what finds a project's records fast; the record itself says whose it is.
function read<R extends { project: string }, H extends object>(
  { byId, project }: { byId(id: number): R | undefined; project: string | null },
  chosen: readonly Chosen[],
  hitOf: (record: R) => H,
): Found<H>[] {
  return chosen.flatMap(({ id, ...how }) => {
    const record = byId(id);
    return record === undefined || (project !== null && record.project !== project)
      ? []
      : [{ ...hitOf(record), ...how }];
  });
}

function nothing(): SearchResults {
  return { observations: [], sessions: [], prompts: [], notes: [] };
}

function hasWords({ observations, sessions, prompts }: SearchResults): boolean {
  return [...observations, ...sessions, ...prompts].some((hit) => hit.matched_by.includes("words"));
}

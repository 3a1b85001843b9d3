// Search: words and filters in, records of each kind out, best first.
import type { FoundHit, KindLists } from "../core/records/found-list.ts";
import {
  type GitPlace,
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
  type PlaceMarks,
  placeOf,
  promptHit,
  type Ranked,
  summaryHit,
} from "./hits.ts";
import { respell, unknownWordNotes } from "./misspelled.ts";
import { type Span, within } from "./named-times.ts";
import {
  comparedCount,
  inOrder,
  neededFor,
  type OrderedLine,
  type Placed,
  pageInOrder,
} from "./one-order.ts";
import { withoutQuestion } from "./other-prompts.ts";
import { nearestCount } from "./rank-observations.ts";
import {
  boostNote,
  type DateBoost,
  type DateFilter,
  filterNote,
  newestNote,
  noneNote,
  readTime,
  wordsNote,
} from "./read-time.ts";
import { listRecent, withFewIds, withNewestIds } from "./recent-records.ts";
import {
  byBeginnings,
  byWords,
  insideWords,
  isInSomeRecord,
  isWholeInSomeRecord,
  type Retriever,
} from "./retrievers.ts";
import type {
  AskedAt,
  Chosen,
  MatchedBy,
  SearchedKind,
  SearchPort,
  SearchQuery,
  VectorAnswer,
} from "./search-port.ts";

/** The parameters of `/api/search`. Without words: the newest records that pass the filters. */
export interface SearchRequest {
  query?: string | undefined;
  /** One kind only; sessions are session summaries. */
  type?: "observations" | "sessions" | "prompts" | undefined;
  format: "index" | "full";
  /** Of each kind. */
  limit: number;
  offset?: number | undefined;
  /** `limit` and `offset` count the records of all kinds, each text once. */
  together?: boolean | undefined;
  /** False: without routine work. */
  routine?: boolean | undefined;
  project?: string | undefined;
  obs_type?: string | undefined;
  concepts?: readonly string[] | undefined;
  files?: readonly string[] | undefined;
  /** Records made on this git branch. */
  branch?: string | undefined;
  /** The directory of the reader: records of branches that are not merged there rank lower. */
  cwd?: string | undefined;
  /** Epoch milliseconds, both ends included. */
  dateStart?: number | undefined;
  dateEnd?: number | undefined;
  /** The words are a user's prompt: only its rare words are searched, and no parts of words. */
  isPrompt?: boolean | undefined;
}

/** A hit with its score, if there were words, and what found it. */
export type Found<R> = Ranked<R> & { matched_by: MatchedBy[] } & PlaceMarks;

/** The answer; a kind that a filter cannot apply to (a prompt has no type, concepts or files) stays empty. */
export interface SearchResults {
  observations: Found<ObservationIndexHit | Parsed<Observation>>[];
  sessions: Found<IndexHit | Parsed<SessionSummary>>[];
  prompts: Found<IndexHit | UserPrompt>[];
  /** Sentences for the reader, such as a part of the search that was unavailable. */
  notes: string[];
}

export interface Search {
  search(request: SearchRequest): Promise<SearchResults>;
}

/** One search: where it reads, and in which format it answers. */
interface Run extends Pick<SearchRequest, "format" | "type" | "together"> {
  port: SearchPort;
}

export function createSearch(port: SearchPort): Search {
  return {
    async search(request) {
      const query = queryOf(request, port);
      if (query === null) return { observations: [], sessions: [], prompts: [], notes: [] };
      if (query.words === "") return recentRecords({ ...request, port }, query);
      const run = { ...request, port: query.kinds.prompts ? withoutQuestion(port, query) : port };
      const time = readTime(query.words, port.now());
      if (time === null) return relevanceSearch(run, query, { namesUnknown: true });
      if (time.is === "boost") return dateBoostedSearch(run, query, time);
      const isOfWords = time.span === null && isWholeInSomeRecord(run.port, query);
      return isOfWords
        ? withNotes(await relevanceSearch(run, query), [wordsNote])
        : dateFilteredSearch(run, query, time);
    },
  };
}

/** The newest records that pass the filters. */
async function recentRecords(run: Run, query: SearchQuery): Promise<SearchResults> {
  const page = run.together ? neededFor(query.page) : query.page;
  return retrieve(run, query, await listRecent(run.port, { ...query, page }));
}

/** The best records for the words; unknown words are respelled. */
async function relevanceSearch(
  run: Run,
  query: SearchQuery,
  { namesUnknown = false }: { namesUnknown?: boolean } = {},
): Promise<SearchResults> {
  if (query.isPrompt) return searchWords(run, query);
  const respelled = respell(run.port, query);
  const asked = respelled?.query ?? query;
  const found = await searchWords(run, asked);
  // Words of a time are in few records, and a part of a word is in one.
  const isNamed = isEmpty(found) || (namesUnknown && !hasParts(found));
  const unknown = isNamed ? unknownWordNotes(run.port, asked, { hasOthers: !isEmpty(found) }) : [];
  return { ...found, notes: [...(respelled?.notes ?? []), ...unknown, ...found.notes] };
}

/** By words and meaning; else by beginnings of words; else inside words. */
async function searchWords(run: Run, unfiltered: SearchQuery): Promise<SearchResults> {
  const { port } = run;
  const query = await withFewIds(port, unfiltered);
  const vectors = await nearestVectors(run, query);
  const found = retrieve(run, query, byWords(vectors));
  if (vectors.state === "unavailable") found.notes.push(wordsOnlyNote(vectors.reason));
  if (query.isPrompt || hasWords(found) || isInSomeRecord(port, query)) return found;
  const byPrefix = byBeginnings(port, query);
  const parts =
    byPrefix === null
      ? retrieve(run, await withNewestIds(port, query), insideWords)
      : retrieve(run, query, byPrefix);
  return isEmpty(parts) ? found : { ...parts, notes: found.notes };
}

async function nearestVectors({ port, type }: Run, query: SearchQuery): Promise<VectorAnswer> {
  if (port.vectors === undefined || (type ?? "observations") !== "observations") return { state: "off" };
  return port.vectors.nearest({ text: query.words, project: query.filter.project, limit: nearestCount });
}

function wordsOnlyNote(reason: string): string {
  return `Searched by words only: search by meaning is not available (${reason}).`;
}

/** The best records for the other words, records of the named time first. */
async function dateBoostedSearch(run: Run, query: SearchQuery, time: DateBoost): Promise<SearchResults> {
  const found = await relevanceSearch(run, boosted(run.port, query, time));
  if (query.isPrompt) return found;
  if (isEmpty(found)) return dateFilteredSearch(run, query, time);
  const { start, end } = time.span;
  const isAny = hitsOf(found).some(({ created_at_epoch: at }) => at >= start && at <= end);
  return withNotes(found, [boostNote(time, isAny)]);
}

// A time without records separates nothing; then its words may belong to a text.
function boosted({ observations, summaries, prompts }: SearchPort, query: SearchQuery, time: DateBoost) {
  const filter = { ...query.filter, ...within(time.span, query.filter) };
  const { kinds } = query;
  const isAny = [
    ...(kinds.observations ? [observations] : []),
    ...(kinds.sessions ? [summaries] : []),
    ...(kinds.prompts ? [prompts] : []),
  ].some((kind) => kind.scan(filter, 1, null).ids.length > 0);
  return isAny ? { ...query, words: time.words.trim(), span: time.span } : query;
}

/** All records of the named time, newest first; if there are none, the newest from before it. */
async function dateFilteredSearch(
  run: Run,
  query: SearchQuery,
  time: DateFilter | DateBoost,
): Promise<SearchResults> {
  const { span } = time;
  if (span === null) {
    const newest = await recentRecords(run, query);
    return isEmpty(newest) ? newest : matchedByTime(newest, newestNote);
  }
  return recordsOfSpan(run, query, { ...time, span });
}

async function recordsOfSpan(
  run: Run,
  query: SearchQuery,
  time: (DateFilter | DateBoost) & { span: Span },
): Promise<SearchResults> {
  const filter = { ...query.filter, ...within(time.span, query.filter) };
  const found = await recentRecords(run, { ...query, filter });
  if (!isEmpty(found)) return matchedByTime(found, filterNote(time));
  const isBeyondLastPage = !isEmpty(
    await recentRecords(run, { ...query, filter, page: { limit: 1, offset: 0 } }),
  );
  if (isBeyondLastPage) return found;
  const dateEnd = filter.dateStart - 1;
  const before = await recentRecords(run, { ...query, filter: { ...query.filter, dateEnd } });
  return withNotes(before, [noneNote(time, !isEmpty(before))]);
}

function matchedByTime(
  { observations, sessions, prompts, notes }: SearchResults,
  note: string,
): SearchResults {
  const ofTime = <H extends object>(hit: H) => ({ ...hit, matched_by: ["time" as const] });
  return {
    observations: observations.map(ofTime),
    sessions: sessions.map(ofTime),
    prompts: prompts.map(ofTime),
    notes: [...notes, note],
  };
}

/** Null for a project without records. */
function queryOf(request: SearchRequest, port: SearchPort): SearchQuery | null {
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
    cwd: request.cwd ?? null,
    filter: {
      project: project ?? null,
      obs_type: obs_type ?? null,
      concepts: request.concepts ?? [],
      files: request.files ?? [],
      dateStart: request.dateStart ?? null,
      dateEnd: request.dateEnd ?? null,
      branch: request.branch,
      lasting: request.routine === false,
    },
  };
}

// Only an observation has a type, and a prompt has no concepts or files either.
export function kindsOf({ type, obs_type, concepts = [], files = [] }: SearchRequest): SearchQuery["kinds"] {
  const isWanted = (kind: typeof type) => type === undefined || type === kind;
  return {
    observations: isWanted("observations"),
    sessions: isWanted("sessions") && obs_type === undefined,
    prompts: isWanted("prompts") && obs_type === undefined && concepts.length + files.length === 0,
  };
}

function retrieve(run: Run, query: SearchQuery, retriever: Retriever): SearchResults {
  const chosen = chosenOf(run, query, retriever);
  return { ...readAll(run, query, chosen), notes: [] };
}

// A prompt is ranked by words alone: its context compares the records itself.
function chosenOf(run: Run, query: SearchQuery, retriever: Retriever): KindLists<Chosen> {
  const { observations, summaries, prompts } = run.port;
  const { kinds, isPrompt, page, words } = query;
  const wide = isPrompt ? query : { ...query, page: neededFor(page) };
  const found = {
    observations: kinds.observations ? retriever.observations(observations, wide) : [],
    sessions: kinds.sessions ? retriever.others(summaries, wide) : [],
    prompts: kinds.prompts ? retriever.others(prompts, wide) : [],
  };
  const isList = Object.values(found).every((hits) => hits.every(({ rank }) => rank === undefined));
  const together = run.together ?? false;
  if (isPrompt || (isList && !together)) return found;
  const compared = (hits: Chosen[]) => (isList ? hits : hits.slice(0, comparedCount));
  const lines = readAll({ ...run, format: "index" }, query, {
    observations: compared(found.observations),
    sessions: compared(found.sessions),
    prompts: compared(found.prompts),
  });
  const inPlace = (kind: FoundHit<Chosen>["kind"], list: keyof typeof lines) =>
    inOrder(withLines(found[list], lines[list]), { words, kindOf: () => kind });
  const ranked = {
    observations: inPlace("observation", "observations"),
    sessions: inPlace("session", "sessions"),
    prompts: inPlace("prompt", "prompts"),
  };
  return pageInOrder(ranked, { page, together });
}

function withLines(chosen: readonly Chosen[], lines: SearchResults[keyof KindLists<never>]): Placed[] {
  const byId = new Map<number, OrderedLine>();
  for (const line of lines) if ("preview" in line) byId.set(line.id, line);
  return chosen.map((one) => {
    const line = byId.get(one.id);
    return { ...one, line, created_at_epoch: line?.created_at_epoch };
  });
}

function readAll({ port, format }: Run, query: SearchQuery, chosen: KindLists<Chosen>) {
  const { observations, summaries, prompts } = port;
  const at = { project: query.filter.project, cwd: query.cwd };
  const lines = { ...observations, byId: linesOf(observations, chosen.observations), at };
  return {
    observations:
      format === "full"
        ? readHits(chosen.observations, { ...observations, at }, parseLists)
        : readHits(chosen.observations, lines, observationLine),
    sessions: readHits(chosen.sessions, { ...summaries, at }, (record) => summaryHit(record, format)),
    prompts: readHits(chosen.prompts, { ...prompts, at }, (record) => promptHit(record, format)),
  };
}

function linesOf(port: SearchPort["observations"], chosen: readonly Chosen[]) {
  const lines = new Map(port.lines(chosen.map(({ id }) => id)).map((line) => [line.id, line]));
  return (id: number) => lines.get(id);
}

// The scope token in the match finds a project's records fast; the record itself decides whose it is.
function readHits<R extends GitPlace & { project: string }, H extends object>(
  chosen: readonly Chosen[],
  { byId, unmerged, at }: Pick<SearchedKind<R>, "byId" | "unmerged"> & { at: AskedAt },
  hitOf: (record: R) => H,
): Found<H>[] {
  const { project } = at;
  const ids = chosen.map(({ id }) => id);
  const others = unmerged?.(ids, { ...at, project: null });
  return chosen.flatMap(({ id, rank, matched_by }) => {
    const record = byId(id);
    const how = { ...(rank !== undefined && { rank }), matched_by };
    return record === undefined || (project !== null && record.project !== project)
      ? []
      : [{ ...hitOf(record), ...how, ...placeOf(record, others?.has(id) !== true) }];
  });
}

function withNotes(found: SearchResults, notes: readonly string[]): SearchResults {
  return { ...found, notes: [...found.notes, ...notes] };
}

function hitsOf({ observations, sessions, prompts }: SearchResults) {
  return [...observations, ...sessions, ...prompts];
}

function isEmpty(found: SearchResults): boolean {
  return hitsOf(found).length === 0;
}

function hasParts(found: SearchResults): boolean {
  return hitsOf(found).some((hit) => hit.matched_by.includes("parts"));
}

function hasWords(found: SearchResults): boolean {
  return hitsOf(found).some((hit) => hit.matched_by.includes("words"));
}

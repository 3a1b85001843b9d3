// Search: words and filters in, the records of each kind out, best first.
import type { Observation, Parsed, SessionSummary, UserPrompt } from "../domain/records.ts";
import { projectToken, typeToken } from "../domain/scope-token.ts";
import type { HitPage, RecordFilter, TextHit } from "../domain/search.ts";
import {
  type IndexHit,
  type ObservationIndexHit,
  observationHit,
  promptHit,
  type Ranked,
  summaryHit,
} from "./hits.ts";
import { buildMatch, buildPrefixMatch } from "./query.ts";
import { preferRecent, recencyWindow } from "./recency.ts";

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
}

/** Why a record is in an answer: its own words, parts of words, its neighbours' words, its meaning, or the filters alone. */
export type MatchedBy = "words" | "parts" | "neighbours" | "vectors" | "filters";

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

/** Observations by meaning: `similarity` is a cosine, `weight` what this embedder is worth in the fusion. */
export type VectorAnswer =
  | { state: "ok"; hits: { id: number; similarity: number }[]; weight: number }
  | { state: "off" }
  | { state: "unavailable"; reason: string };

export interface VectorLeg {
  nearest(request: { text: string; project: string | null; limit: number }): Promise<VectorAnswer>;
}

/** What search needs of one kind of record. */
export interface SearchedKind<R> {
  match(match: string, filter: RecordFilter, page: HitPage): TextHit[];
  newest(filter: RecordFilter, page: HitPage): number[];
  byId(id: number): R | undefined;
}

export interface SearchPort {
  /** The id of a project label, or undefined when no record has it. */
  projectId(label: string): number | undefined;
  observations: SearchedKind<Observation>;
  summaries: SearchedKind<SessionSummary>;
  prompts: SearchedKind<UserPrompt>;
  /** Absent: words only. */
  vectors?: VectorLeg | undefined;
}

export interface Search {
  search(request: SearchRequest): Promise<SearchResults>;
}

/** Search over the records that `port` reaches. */
export function createSearch(port: SearchPort): Search {
  return {
    async search(request) {
      const plan = planOf(request, port);
      if (plan === null) return nothing();
      if (plan.words === "") return run(port, request, plan, null);
      const found = run(port, request, plan, buildMatch);
      return isEmpty(found) && !matchesAtAll(port, request, plan)
        ? run(port, request, { ...plan, by: "parts" }, buildPrefixMatch)
        : found;
    },
  };
}

type MatchForm = typeof buildMatch;

// A page behind the last one is empty without the words being unknown.
function matchesAtAll(port: SearchPort, request: SearchRequest, plan: Plan): boolean {
  if (plan.page.offset === 0) return false;
  return !isEmpty(run(port, request, { ...plan, page: { limit: 1, offset: 0 } }, buildMatch));
}

interface Plan {
  words: string;
  by: MatchedBy;
  filter: RecordFilter;
  /** Scope tokens that every match carries. */
  scope: string[];
  page: HitPage;
}

function planOf(request: SearchRequest, port: SearchPort): Plan | null {
  const { project, obs_type } = request;
  const scope: string[] = [];
  if (project !== undefined) {
    const id = port.projectId(project);
    if (id === undefined) return null;
    scope.push(projectToken(id));
  }
  return {
    words: request.query?.trim() ?? "",
    by: "words",
    scope,
    page: { limit: request.limit, offset: request.offset ?? 0 },
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

const observationColumns = ["title", "facts", "narrative", "files"];
const bodyColumns = ["body"];

function run(port: SearchPort, request: SearchRequest, plan: Plan, form: MatchForm | null): SearchResults {
  const results = nothing();
  const { type, format } = request;
  const { filter } = plan;
  const ofType = filter.obs_type === null ? [] : [typeToken(filter.obs_type)];
  if (type === undefined || type === "observations") {
    const match = form?.(plan.words, observationColumns, [...plan.scope, ...ofType]);
    results.observations = read(port.observations, plan, match, (record) => observationHit(record, format));
  }
  if (filter.obs_type !== null) return results;
  const match = form?.(plan.words, bodyColumns, plan.scope);
  if (type === undefined || type === "sessions") {
    results.sessions = read(port.summaries, plan, match, (record) => summaryHit(record, format));
  }
  if (filter.concepts.length > 0 || filter.files.length > 0) return results;
  if (type === undefined || type === "prompts") {
    results.prompts = read(port.prompts, plan, match, (record) => promptHit(record, format));
  }
  return results;
}

/** Reads a page of one kind: `match` undefined lists the newest, null finds nothing. */
function read<R, H extends object>(
  kind: SearchedKind<R>,
  plan: Plan,
  match: string | null | undefined,
  hitOf: (record: R) => H,
): Found<H>[] {
  if (match === null) return [];
  const chosen =
    match === undefined
      ? kind.newest(plan.filter, plan.page).map((id) => ({ id }))
      : best(kind, match, plan).map(({ id, score }) => ({ id, rank: score }));
  return chosen.flatMap(({ id, ...rank }) => {
    const record = kind.byId(id);
    return record === undefined
      ? []
      : [{ ...hitOf(record), ...rank, matched_by: [match === undefined ? "filters" : plan.by] }];
  });
}

// The window is one list whatever the page, so that pages neither repeat nor lose a record; behind it the score rules.
function best<R>(kind: SearchedKind<R>, match: string, { filter, page }: Plan): TextHit[] {
  if (page.offset >= recencyWindow) return kind.match(match, filter, page);
  const end = page.offset + page.limit;
  const hits = kind.match(match, filter, { limit: Math.max(recencyWindow, end), offset: 0 });
  return [...preferRecent(hits.slice(0, recencyWindow)), ...hits.slice(recencyWindow)].slice(
    page.offset,
    end,
  );
}

function nothing(): SearchResults {
  return { observations: [], sessions: [], prompts: [], notes: [] };
}

function isEmpty({ observations, sessions, prompts }: SearchResults): boolean {
  return observations.length === 0 && sessions.length === 0 && prompts.length === 0;
}

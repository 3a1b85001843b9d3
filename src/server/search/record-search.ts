// Search for `/api`: observations and summaries by the ranking, prompts by the word parts they contain.

import { MemError } from "../../core/errors.ts";
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { parseLists } from "../../core/records/records.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import type { RecallPorts } from "../../http/v1/recall.ts";
import { observationLine, promptHit, summaryHit } from "../../recall/hits.ts";
import { inOrder, neededFor, type OrderedLine, type Placed, pageInOrder } from "../../recall/one-order.ts";
import { asksTheSame } from "../../recall/other-prompts.ts";
import { wordParts } from "../../recall/query.ts";
import {
  type Found,
  kindsOf,
  type Search,
  type SearchRequest,
  type SearchResults,
} from "../../recall/search.ts";
import type { MatchedBy } from "../../recall/search-port.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { listProjects } from "../../store/postgres/projects.ts";
import { byNumbers, newest, promptsContaining, type RecordFilter } from "../../store/postgres/records.ts";

interface SearchDeps {
  app: Connections;
  search: RecallPorts["search"];
  notes: RecallPorts["notes"];
}

// As many as the ranking compares.
const rankedAtMost = 120;
// Earlier copies of the question that are skipped.
const sameAtMost = 20;

/** Search within a reach, which includes the project of the request. */
export function createRecordSearch({ app, search, notes }: SearchDeps, reach: Tenant): Search {
  async function ranked(
    scope: ProjectScope,
    request: SearchRequest,
    kind: string | null,
  ): Promise<{ places: Place[]; notes: string[] }> {
    const words = request.query ?? "";
    const filter = { kind, obs_type: request.obs_type ?? null, platform_source: null };
    const answer = await search(scope, { words, filter, limit: rankedAtMost });
    const places = answer.found.map(({ seq, ...how }, place) => ({
      id: seq,
      how: {
        ...(answer.listed === undefined && { rank: place - partsFirst }),
        ...howFound(how, answer.listed ?? "parts"),
      },
    }));
    return { places, notes: answer.notes };
  }

  async function byWords(request: SearchRequest): Promise<SearchResults> {
    const scope = await demandOneProject(app, reach);
    const kinds = kindsOf(request);
    const filter = filterOf(request);
    const words = request.query ?? "";
    const isRanked = kinds.observations || kinds.sessions;
    // One ranking for both kinds; summaries alone have their own candidates.
    const found = isRanked
      ? await ranked(scope, request, kinds.observations ? null : "session_summary")
      : none;
    const ids = found.places.map(({ id }) => id);
    const observations = kinds.observations ? await byNumbers(app, scope, "observations", ids) : [];
    const sessions = kinds.sessions ? await byNumbers(app, scope, "summaries", ids) : [];
    const prompts = kinds.prompts
      ? await otherPrompts(app, scope, { words, filter, page: neededFor(pageOf(request)) })
      : [];
    const how: Place["how"] = { matched_by: ["parts"] };
    const asked = prompts.map(({ prompt, parts }) => ({
      ...placed(prompt, promptHit(prompt, "index"), how),
      rank: -parts,
    }));
    const hits = {
      observations: inPlaces<Observation>(found.places, observations, { filter, lineOf: observationLine }),
      sessions: inPlaces<SessionSummary>(found.places, sessions, {
        filter,
        lineOf: (one) => summaryHit(one, "index"),
      }),
      prompts: inOrder(asked, { words, kindOf: () => "prompt" }),
    };
    return pageOfHits(hits, request, [...new Set([...notes(), ...found.notes])]);
  }

  async function byFilters(request: SearchRequest): Promise<SearchResults> {
    const kinds = kindsOf(request);
    const asked = { filter: filterOf(request), page: neededFor(pageOf(request)) };
    const observations = kinds.observations ? await newest(app, reach, "observations", asked) : [];
    const sessions = kinds.sessions ? await newest(app, reach, "summaries", asked) : [];
    const prompts = kinds.prompts ? await newest(app, reach, "prompts", asked) : [];
    const how: Place["how"] = { matched_by: ["filters"] };
    const hits = {
      observations: observations.map((one) => placed(one, observationLine(one), how)),
      sessions: sessions.map((one) => placed(one, summaryHit(one, "index"), how)),
      prompts: prompts.map((one) => placed(one, promptHit(one, "index"), how)),
    };
    return pageOfHits(hits, request, []);
  }

  return {
    async search(request) {
      // No record of a server has a branch.
      if (request.branch !== undefined) return emptySearch.search(request);
      return (request.query ?? "").trim() === "" ? byFilters(request) : byWords(request);
    },
  };
}

// Skips earlier copies of the question.
async function otherPrompts(
  app: Connections,
  scope: ProjectScope,
  { words, filter, page }: { words: string; filter: RecordFilter; page: ReturnType<typeof pageOf> },
) {
  const { limit, offset } = page;
  const wide = { limit: offset + limit + sameAtMost, offset: 0 };
  const found = await promptsContaining(app, scope, { parts: wordParts(words), filter, page: wide });
  return found.filter(({ prompt }) => !asksTheSame(prompt.prompt_text, words)).slice(offset, offset + limit);
}

/** The search of a null reach. */
export const emptySearch: Search = {
  search: async () => ({ observations: [], sessions: [], prompts: [], notes: [] }),
};

// The full-text index is per project.
async function demandOneProject(app: Connections, { team_id, project_id }: Tenant): Promise<ProjectScope> {
  if (project_id !== null) return { team_id, project_id };
  const [only, other] = await listProjects(app, { team_id, project_id }, { after: "", limit: 2 });
  if (only !== undefined && other === undefined) return { team_id, project_id: only.id };
  throw new MemError("invalid_request", {
    message: "`project`: is needed to search for words, since the key reaches every project of its team",
    hint: "Name one of GET /api/projects, or use a key of one project.",
  });
}

// Records with parts of the words stand before prompts with them.
const partsFirst = 1_000;

interface Place {
  id: number;
  how: Pick<Found<object>, "rank" | "matched_by">;
}

const none: { places: Place[]; notes: string[] } = { places: [], notes: [] };

function howFound({ score, isNear }: { score?: number; isNear?: true }, otherwise: MatchedBy): Place["how"] {
  if (score === undefined) return { matched_by: [otherwise] };
  return { rank: -score, matched_by: [isNear ? "vectors" : "words"] };
}

function inPlaces<R extends Observation | SessionSummary>(
  places: readonly Place[],
  records: readonly R[],
  { filter, lineOf }: { filter: RecordFilter; lineOf(record: R): object },
): PlacedRecord<R>[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  return places.flatMap(({ id, how }) => {
    const record = byId.get(id);
    return record === undefined || !passes(record, filter) ? [] : [placed(record, lineOf(record), how)];
  });
}

type PlacedRecord<R> = Placed & { record: R };

function placed<R extends { id: number; created_at_epoch: number }>(
  record: R,
  line: object,
  how: Place["how"],
): PlacedRecord<R> {
  const { id, created_at_epoch } = record;
  return { id, created_at_epoch, record, ...how, ...("preview" in line && { line: line as OrderedLine }) };
}

function pageOfHits(
  hits: {
    observations: PlacedRecord<Observation>[];
    sessions: PlacedRecord<SessionSummary>[];
    prompts: PlacedRecord<UserPrompt>[];
  },
  request: SearchRequest,
  notes: string[],
): SearchResults {
  const { format, together = false } = request;
  const shown = pageInOrder(hits, { page: pageOf(request), together });
  const howOf = ({ rank, matched_by }: Placed) => ({ ...(rank !== undefined && { rank }), matched_by });
  return {
    observations: shown.observations.map((hit) => ({ ...observationHit(hit.record, format), ...howOf(hit) })),
    sessions: shown.sessions.map((hit) => ({ ...summaryHit(hit.record, format), ...howOf(hit) })),
    prompts: shown.prompts.map((hit) => ({ ...promptHit(hit.record, format), ...howOf(hit) })),
    notes,
  };
}

function passes(record: Observation | SessionSummary, filter: RecordFilter): boolean {
  const { concepts, files_read, files_modified } = parseLists<Observation | SessionSummary>(record);
  const { dateStart, dateEnd } = filter;
  if (dateStart !== null && record.created_at_epoch < dateStart) return false;
  if (dateEnd !== null && record.created_at_epoch > dateEnd) return false;
  if (filter.concepts.length > 0 && !filter.concepts.some((concept) => concepts.includes(concept)))
    return false;
  const wanted = filter.files?.endWith;
  if (wanted === undefined) return true;
  return [...files_read, ...files_modified].some((path) =>
    wanted.some((end) => path === end || path.endsWith(`/${end}`) || path.endsWith(`\\${end}`)),
  );
}

interface Page {
  offset: number;
  limit: number;
}

function pageOf({ offset = 0, limit }: SearchRequest): Page {
  return { offset, limit };
}

function filterOf({ obs_type, concepts = [], files = [], dateStart, dateEnd }: SearchRequest): RecordFilter {
  return {
    obs_type: obs_type ?? null,
    concepts,
    files: files.length === 0 ? null : { are: [], endWith: files },
    dateStart: dateStart ?? null,
    dateEnd: dateEnd ?? null,
  };
}

function observationHit(record: Observation, format: SearchRequest["format"]) {
  return format === "full" ? parseLists(record) : observationLine(record);
}

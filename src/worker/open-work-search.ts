// Search that lists open work first when the question asks for it.
import { askedOpenWork, isOpenWork, newestFirst } from "../context/open-work.ts";
import { listsOf, oneList } from "../core/records/found-list.ts";
import { type Observation, parseLists } from "../core/records/records.ts";
import { observationLine } from "../recall/hits.ts";
import type { Search, SearchRequest, SearchResults } from "../recall/search.ts";
import { topicTermsOf } from "../statements/text/topic-terms.ts";

interface OpenWorkPort {
  /** Labels of the projects, most recently used first. */
  labels(): string[];
  /** Active statements, the most salient first. */
  statements(request: { project: string; limit: number }): Observation[];
}

/** `search` with open work, newest first, before its results. */
export function openWorkFirst(search: Search, port: OpenWorkPort): Search {
  return {
    async search(request) {
      const about = isPlain(request) ? askedOpenWork(request.query ?? "") : null;
      const open = about === null ? [] : openWork(port, request, about);
      if (open.length === 0) return search.search(request);
      const { offset = 0, limit } = request;
      const found = await search.search({ ...request, offset: 0, limit: offset + limit });
      return pageOf({ ...found, observations: merged(open, found, request) }, request);
    },
  };
}

// Not with a filter by kind of record.
function isPlain({ query, type = "observations", isPrompt, ...filters }: SearchRequest): boolean {
  const { obs_type, concepts = [], files = [], branch } = filters;
  const isFiltered = (obs_type ?? branch) !== undefined || concepts.length > 0 || files.length > 0;
  return query !== undefined && isPrompt !== true && !isFiltered && type === "observations";
}

function openWork(
  port: OpenWorkPort,
  { project, dateStart = 0, dateEnd = Number.POSITIVE_INFINITY }: SearchRequest,
  about: ReadonlySet<string>,
): Observation[] {
  const projects = project === undefined ? port.labels().slice(0, maxProjects) : [project];
  const open = projects
    .flatMap((label) => port.statements({ project: label, limit: maxStatements }))
    .filter((one) => isOpenWork(one) && one.created_at_epoch >= dateStart && one.created_at_epoch <= dateEnd)
    .filter(({ summary, subtitle }) => {
      const terms = topicTermsOf(`${summary} ${subtitle ?? ""}`);
      return about.size === 0 || terms.some((term) => about.has(term));
    });
  return newestFirst(open).slice(0, maxOpen);
}

function merged(
  open: readonly Observation[],
  { observations }: SearchResults,
  { format }: SearchRequest,
): SearchResults["observations"] {
  const first = open.map((one, index) => ({
    ...(format === "full" ? parseLists(one) : observationLine(one)),
    rank: beforeAll + index,
    matched_by: ["open" as const],
  }));
  const ids = new Set(open.map(({ id }) => id));
  return [...first, ...observations.filter(({ id }) => !ids.has(id))];
}

function pageOf(found: SearchResults, { offset = 0, limit, together }: SearchRequest): SearchResults {
  const cut = <T>(hits: readonly T[]): T[] => hits.slice(offset, offset + limit);
  if (together) return { ...listsOf(cut(oneList(found))), notes: found.notes };
  const { observations, sessions, prompts, notes } = found;
  return { observations: cut(observations), sessions: cut(sessions), prompts: cut(prompts), notes };
}

// Ranks of other hits are above -10.
const beforeAll = -100;

const maxProjects = 20;
const maxStatements = 200;
const maxOpen = 10;

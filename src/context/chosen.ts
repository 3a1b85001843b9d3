// Chooses the records of an injected text: pinned ones, and for the timeline the newest of the last sessions.
import {
  type Observation,
  observationConcepts,
  observationTypes,
  type Parsed,
  parseLists,
} from "../core/records/records.ts";
import type { ChangedFile, ContextPort } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { newestFirst } from "./open-work.ts";

/** A record, and the ids of the equal records that it stands for, its own included. */
export interface Chosen<R = Parsed<Observation>> {
  observation: R;
  ids: number[];
}

interface Choice {
  settings: ContextSettings;
  /** Left out. */
  known: ReadonlySet<number>;
}

/** Pinned records, newest first. A pinned rule is not among them: it is the first of the rules. */
export function pinnedObservations(
  port: ContextPort,
  projects: readonly string[],
  { settings, known }: Choice,
): Chosen[] {
  return newestFirst(projects.flatMap((project) => port.pinned(project, maxPinned)))
    .filter(({ id, standing }) => standing !== 1 && !known.has(id))
    .slice(0, Math.min(maxPinned, settings.observations))
    .map((observation) => ({ observation: parseLists(observation), ids: [observation.id] }));
}

// They must leave room for new records.
const maxPinned = 20;

type ContextRecords = Parameters<ContextPort["forContext"]>[0]["of"];

interface Wanted extends Choice {
  count: number;
  /** False leaves out routine work, but of a young project, and beside sections statements and what `local` wrote of tools. */
  isWhole: boolean;
  hasSections?: boolean;
}

/** The newest records. Equal ones are shown once, and older ones fill their places. */
export function chosenObservations(port: ContextPort, projects: readonly string[], wanted: Wanted): Chosen[] {
  const { settings, known, count, isWhole, hasSections = false } = wanted;
  if (count === 0) return [];
  const of = isWhole ? "all" : hasSections ? "written" : "telling";
  const choose = (limit: number) => {
    const newest = newestObservations(port, projects, { settings, limit, of });
    const isNew = newest.filter(({ id }) => !known.has(id));
    return { chosen: withoutRepeats(isNew, count), isAll: newest.length < limit };
  };
  const first = choose(count);
  const isEnough = first.isAll || first.chosen.length === count;
  const { chosen } = isEnough ? first : choose(settings.observations * recordsPerRow);
  return chosen.map(({ observation, ids }) => ({ observation: parseLists(observation), ids }));
}

// Records read per row when the newest repeat. Reading that many every time would cost a session start 2 ms.
const recordsPerRow = 4;

// Equal: same project, type, title, status and outside source. The first of each kind stands for the others.
function withoutRepeats(observations: readonly Observation[], limit: number): Chosen<Observation>[] {
  const kinds = new Map<string, Chosen<Observation>>();
  for (const observation of observations) {
    const { project, title, obs_type, provenance, status } = observation;
    const outside = provenance === "web" || provenance === "mcp" ? provenance : "";
    const kind = [project, obs_type, title, outside, status].join("\0");
    const known = kinds.get(kind);
    if (known !== undefined) known.ids.push(observation.id);
    else if (kinds.size < limit) kinds.set(kind, { observation, ids: [observation.id] });
  }
  return [...kinds.values()];
}

/** The changed files of each record, by id. */
export async function changedFiles(
  port: ContextPort,
  observations: readonly Pick<Observation, "id" | "project">[],
  cwd: string | null,
): Promise<Map<number, readonly ChangedFile[]>> {
  const changed = new Map<number, readonly ChangedFile[]>();
  for (const project of new Set(observations.map((observation) => observation.project))) {
    const ids = observations.filter((one) => one.project === project).map(({ id }) => id);
    const found = await port.changedSince?.({ observations: ids, project, cwd });
    for (const [id, files] of found ?? []) changed.set(id, files);
  }
  return changed;
}

/** The newest observations of the newest sessions, over all projects. */
function newestObservations(
  port: ContextPort,
  projects: readonly string[],
  { settings, limit, of }: Pick<Wanted, "settings"> & { limit: number; of: ContextRecords },
): Observation[] {
  const wanted = {
    limit,
    sessions: settings.sessions,
    types: restriction(settings.types, observationTypes),
    concepts: restriction(settings.concepts, observationConcepts),
  };
  const read = (records: ContextRecords) =>
    projects.flatMap((project) => port.forContext({ ...wanted, of: records, project }));
  const first = read(of);
  const found = of === "telling" && first.length < leastTelling ? read("all") : first;
  const ordered = projects.length > 1 ? newestFirst(found) : found;
  const sessions = new Set<string>();
  const inSessions = ordered.filter(({ sdk_session_id }) => {
    if (sessions.size < settings.sessions) sessions.add(sdk_session_id);
    return sessions.has(sdk_session_id);
  });
  return inSessions.slice(0, limit);
}

const leastTelling = 5;

function restriction(chosen: readonly string[], all: readonly string[]): readonly string[] | null {
  return chosen.length === 0 || all.every((one) => chosen.includes(one)) ? null : chosen;
}

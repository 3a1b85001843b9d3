// Chooses the records of an injected timeline: pinned ones, and the newest of the last sessions.
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
  onlyPinned: boolean;
}

/** Equal records are shown once, and older ones fill their places. */
export function chosenObservations(
  port: ContextPort,
  projects: readonly string[],
  { settings, known, onlyPinned }: Choice,
): Chosen[] {
  const rows = settings.observations;
  const pinned = newestFirst(projects.flatMap((project) => port.pinned(project, maxPinned))).slice(
    0,
    Math.min(maxPinned, rows),
  );
  const pinnedIds = new Set(pinned.map(({ id }) => id));
  const choose = (newest: readonly Observation[]) =>
    withoutRepeats(
      [...pinned, ...newest.filter(({ id }) => !pinnedIds.has(id))].filter(({ id }) => !known.has(id)),
      rows,
    );
  let newest = onlyPinned ? [] : newestObservations(port, projects, settings);
  let chosen = choose(newest);
  if (chosen.length < rows && newest.length === rows) {
    newest = newestObservations(port, projects, { ...settings, observations: rows * recordsPerRow });
    chosen = choose(newest);
  }
  return chosen.map(({ observation, ids }) => ({ observation: parseLists(observation), ids }));
}

// Records read per row when the newest repeat. Reading that many every time would cost a session start 2 ms.
const recordsPerRow = 4;
// Pinned records come first and must leave room for new ones.
const maxPinned = 20;

// Equal: same project, type, title, status and outside source. The first of each kind stands for the others.
function withoutRepeats(observations: readonly Observation[], limit: number): Chosen<Observation>[] {
  const kinds = new Map<string, Chosen<Observation>>();
  for (const observation of observations) {
    const { project, title, obs_type, provenance, status, pinned } = observation;
    const outside = provenance === "web" || provenance === "mcp" ? provenance : "";
    const kind = [project, obs_type, title, outside, status, pinned].join("\0");
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
  settings: ContextSettings,
): Observation[] {
  const wanted = {
    limit: settings.observations,
    sessions: settings.sessions,
    types: restriction(settings.types, observationTypes),
    concepts: restriction(settings.concepts, observationConcepts),
  };
  const read = (routine: boolean) =>
    projects.flatMap((project) => port.forContext({ ...wanted, routine, project }));
  // Routine work fills the list of a young project, and a list whose count the user set.
  const notRoutine = settings.countDecides === true ? [] : read(false);
  const found = notRoutine.length < leastNotRoutine ? read(true) : notRoutine;
  const ordered = projects.length > 1 ? newestFirst(found) : found;
  const sessions = new Set<string>();
  const inSessions = ordered.filter(({ sdk_session_id }) => {
    if (sessions.size < settings.sessions) sessions.add(sdk_session_id);
    return sessions.has(sdk_session_id);
  });
  return inSessions.slice(0, settings.observations);
}

const leastNotRoutine = 5;

function restriction(chosen: readonly string[], all: readonly string[]): readonly string[] | null {
  return chosen.length === 0 || all.every((one) => chosen.includes(one)) ? null : chosen;
}

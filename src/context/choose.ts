// Which records an injected timeline is made of: what is pinned, and the newest of the last sessions.
import {
  type Observation,
  observationConcepts,
  observationTypes,
  type Parsed,
  parseLists,
} from "../core/records/records.ts";
import type { ChangedFile, ContextPort } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { type Repeated, withoutRepeats } from "./repeats.ts";

// Looked at for each row wanted, when the newest repeat: enough for a history in which three of four records do. Reading
// that many at once would cost a start of a session 2 ms where nothing repeats.
const recordsPerRow = 4;
// What is pinned goes before what is new, and must leave room for it.
const maxPinned = 20;

interface ChosenOf {
  settings: ContextSettings;
  known: ReadonlySet<number>;
  /** What is new is not looked at. */
  onlyPinned?: boolean;
}

/** What repeats stands once, and older records fill its place; `known` are left out. */
export function chosenObservations(
  port: ContextPort,
  projects: readonly string[],
  { settings, known, onlyPinned = false }: ChosenOf,
): Repeated<Parsed<Observation>>[] {
  const rows = settings.observations;
  const pinned = projects
    .flatMap((project) => port.pinned(project, maxPinned))
    .sort(newestFirst)
    .slice(0, Math.min(maxPinned, rows));
  const isPinned = new Set(pinned.map(({ id }) => id));
  const allOf = (newest: readonly Observation[]) =>
    withoutRepeats(
      [...pinned, ...newest.filter(({ id }) => !isPinned.has(id))].filter(({ id }) => !known.has(id)),
      rows,
    );
  let newest = onlyPinned ? [] : newestObservations(port, projects, settings);
  let chosen = allOf(newest);
  if (chosen.length < rows && newest.length === rows) {
    newest = newestObservations(port, projects, { ...settings, observations: rows * recordsPerRow });
    chosen = allOf(newest);
  }
  return chosen.map(({ observation, ids }) => ({ observation: parseLists(observation), ids }));
}

/** By record, which of its files differ now; of none when nobody looks. */
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

/** The newest observations over all the projects, from the newest sessions over all of them. */
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
  const of = (routine: boolean) =>
    projects.flatMap((project) => port.forContext({ ...wanted, routine, project }));
  // Who sets the count wants that many; a young project has little else to show.
  const telling = settings.countDecides === true ? null : of(false);
  const found = telling === null || telling.length < leastTelling ? of(true) : telling;
  if (projects.length > 1) found.sort(newestFirst);
  const sessions = new Set<string>();
  const inSessions = found.filter(({ sdk_session_id }) => {
    if (sessions.size < settings.sessions) sessions.add(sdk_session_id);
    return sessions.has(sdk_session_id);
  });
  return inSessions.slice(0, settings.observations);
}

const leastTelling = 5;

function newestFirst(a: Observation, b: Observation): number {
  return b.created_at_epoch - a.created_at_epoch || b.id - a.id;
}

function restriction(chosen: readonly string[], all: readonly string[]): readonly string[] | null {
  return chosen.length === 0 || all.every((one) => chosen.includes(one)) ? null : chosen;
}

// Notes for empty answers: filters that name unknown projects, types or concepts.
import { noSuchProject, noSuchWords } from "../../core/records/known-names.ts";
import type { Mode, ModeWord } from "../../core/records/mode.ts";

/** The names that filters can have. */
export interface KnownFilters {
  /** The words of the active mode. */
  mode(): Pick<Mode, "name"> & Record<"types" | "concepts", readonly Pick<ModeWord, "id">[]>;
  projects(): string[];
}

interface Filters {
  offset?: number | undefined;
  dateStart?: number | undefined;
  dateEnd?: number | undefined;
  project?: string | undefined;
  obs_type?: string | undefined;
  concepts?: readonly string[] | undefined;
}

/**
 * What an answer says of its filters. A record may have a word of another mode, so a filter is never refused: only where
 * nothing was found the name may be wrong.
 */
export function notesOnFilters(
  found: number,
  { project, obs_type, concepts = [], offset = 0, dateStart, dateEnd }: Filters,
  { mode, projects }: KnownFilters,
): string[] {
  if (found > 0) return [];
  const { name, types, concepts: known } = mode();
  return [
    project === undefined ? null : noSuchProject(project, projects()),
    noSuchWords("type", obs_type === undefined ? [] : [obs_type], { name, known: types }),
    noSuchWords("concept", concepts, { name, known }),
    dateStart !== undefined && dateEnd !== undefined && dateStart > dateEnd
      ? "The time asked for ends before it begins."
      : null,
    offset > 0 ? `Nothing follows the first ${offset} results.` : null,
  ].filter((note) => note !== null);
}

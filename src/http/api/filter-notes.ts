// Notes for empty answers: filters that name unknown projects, types or concepts.
import { noSuchProject, noSuchWords } from "../../core/records/known-names.ts";
import type { Mode, ModeWord } from "../../core/records/mode.ts";
import { searchCategories } from "../schemas/search.ts";

/** The names that filters can have. */
export interface KnownFilters {
  /** Types and concepts of the active mode. */
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
 * Notes on the filters of an empty answer. An unknown name is no error, since a record may have a word of another mode.
 */
export function notesOnFilters(
  found: number,
  { project, obs_type, concepts = [], offset = 0, dateStart, dateEnd }: Filters,
  { mode, projects }: KnownFilters,
): string[] {
  if (found > 0) return [];
  return [
    project === undefined ? null : noSuchProject(project, projects()),
    ...notesOnWords({ obs_type, concepts }, mode()),
    dateStart !== undefined && dateEnd !== undefined && dateStart > dateEnd
      ? "The time asked for ends before it begins."
      : null,
    offset > 0 ? `Nothing follows the first ${offset} results.` : null,
  ].filter((note) => note !== null);
}

/** Notes on types and concepts that the mode does not have. */
function notesOnWords(
  { obs_type, concepts = [] }: Pick<Filters, "obs_type" | "concepts">,
  { name, types, concepts: known }: ReturnType<KnownFilters["mode"]>,
): (string | null)[] {
  const also = searchCategories;
  return [
    noSuchWords("type", obs_type === undefined ? [] : [obs_type], { name, known: types, also }),
    noSuchWords("concept", concepts, { name, known }),
  ];
}

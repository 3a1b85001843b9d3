// What the user never wants recorded: folders and files by path patterns, and projects that are off.

import { MemError } from "../core/errors.ts";
import type { Json } from "../text/json.ts";
import { namesPath, type PathMatcher, pathMatcher } from "../text/path-patterns.ts";

export interface ExclusionChoice {
  paths: readonly string[];
  /** Labels of projects. */
  projects: ReadonlySet<string>;
}

interface ExclusionDeps {
  /** Read for each event. */
  choice(): ExclusionChoice;
  home: string;
  /** Label of a directory's project; writes nothing. */
  labelOf(cwd: string): string;
  /** Present label of a renamed or merged project. */
  projectNamed(label: string): string;
  /** Project of the host's session, if it is known. */
  projectOfSession(claudeSessionId: string): string | undefined;
}

export interface EventPlace {
  claudeSessionId?: string | undefined;
  cwd?: string | undefined;
  project?: string | undefined;
}

export interface Exclusions {
  /** Nothing of an event here is recorded or injected. */
  hasPlace(place: EventPlace): boolean;
  /** The values name a path that is never recorded. */
  isNamedIn(values: readonly (Json | undefined)[], cwd: string | undefined): boolean;
}

/** Records and injects everything. */
export const noExclusions: Exclusions = { hasPlace: () => false, isNamedIn: () => false };

export function createExclusions(deps: ExclusionDeps): Exclusions {
  let compiled: { paths: readonly string[]; isMeant: PathMatcher | null } = { paths: [], isMeant: null };
  const matcher = (): PathMatcher | null => {
    const { paths } = deps.choice();
    if (paths !== compiled.paths) compiled = { paths, isMeant: pathMatcher(paths, deps.home) };
    return compiled.isMeant;
  };
  return {
    hasPlace({ claudeSessionId, cwd, project }) {
      if (cwd !== undefined && matcher()?.(cwd) === true) return true;
      const { projects } = deps.choice();
      if (projects.size === 0) return false;
      const off = new Set([...projects].map(deps.projectNamed));
      const labels = [
        project && deps.projectNamed(project),
        claudeSessionId && deps.projectOfSession(claudeSessionId),
        project === undefined && cwd !== undefined ? deps.labelOf(cwd) : undefined,
      ];
      return labels.some((label) => label !== undefined && off.has(label));
    },
    isNamedIn(values, cwd) {
      const isMeant = matcher();
      return isMeant !== null && values.some((value) => value !== undefined && isNamed(value, isMeant, cwd));
    },
  };
}

/** Throws `excluded` when what a client asks to store is excluded by its place, or names an excluded path. */
export function refuseExcluded(
  { hasPlace, isNamedIn }: Exclusions,
  place: EventPlace,
  values: readonly (Json | undefined)[] = [],
): void {
  const { cwd, project } = place;
  if (hasPlace(place)) {
    const where =
      project === undefined ? (cwd === undefined ? "This session" : `\`${cwd}\``) : `\`${project}\``;
    throw new MemError("excluded", {
      message: `${where} is excluded: neither recorded nor injected. Nothing was stored.`,
      hint: "Record a project again: `mem project on NAME`. Excluded paths: `mem settings get MEM_EXCLUDE_PATHS`.",
    });
  }
  if (isNamedIn(values, cwd))
    throw new MemError("excluded", {
      message: "The observation names a path of MEM_EXCLUDE_PATHS. Nothing was stored.",
      hint: "Leave the path out, or change the setting: `mem settings edit`.",
    });
}

function isNamed(value: Json, isMeant: PathMatcher, cwd: string | undefined): boolean {
  // A path with a space is one value, a command has several words.
  if (typeof value === "string") return isMeant(value) || namesPath(value, isMeant, cwd);
  if (Array.isArray(value)) return value.some((each) => isNamed(each, isMeant, cwd));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, each]) => isMeant(key) || isNamed(each, isMeant, cwd));
}

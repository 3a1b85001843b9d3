// Maps directories to projects, from the store and the file system.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { createExclusions, type ExclusionChoice, type Exclusions } from "../capture/exclusions.ts";
import { type Checkouts, createCheckouts } from "../capture/projects/checkouts.ts";
import { createReadGit } from "../capture/projects/git.ts";
import { createProjectNames, type ProjectNames } from "../capture/projects/names.ts";
import { createPlaces, type Place } from "../capture/projects/places.ts";
import { createRelabel, type Relabel } from "../capture/projects/relabel.ts";
import { createRootCommits } from "../capture/projects/root-commits.ts";
import type { ProjectFolders } from "../context/context-port.ts";
import type { ExplainDeps } from "../context/explain.ts";
import type { Clock } from "../core/clock.ts";
import type { Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";
import type { Store } from "../store/sqlite/store.ts";

interface ProjectDeps {
  store: Store;
  env: Environment;
  clock: Clock;
  /** Called when labels changed. */
  onChange(): void;
}

export interface WorkerProjects extends ProjectNames {
  checkouts: Checkouts;
  placeOf(cwd: string): Place;
  relabel: Relabel;
  /** Stops running lookups and moves. */
  close(): Promise<void>;
}

export function buildProjects({ store, env, clock, onChange }: ProjectDeps): WorkerProjects {
  const program = findExecutable(env, "git");
  const rootCommits = createRootCommits(program === null ? null : createReadGit(program));
  const placeOf = createPlaces({ clock, home: homedir(), rootCommits });
  const relabel = createRelabel(store, onChange);
  const names = createProjectNames(placeOf, store.projects, rootCommits.asked);
  return {
    ...names,
    placeOf,
    checkouts: buildCheckouts(store, { labelOf: names.labelOf, placeOf }),
    relabel,
    close() {
      rootCommits.stop();
      return relabel.stop();
    },
  };
}

/** What is not recorded, by the folder, the project and the session of an event. */
export function buildExclusions(
  { sessions }: Pick<Store, "sessions">,
  { labelOf, current }: Pick<WorkerProjects, "labelOf" | "current">,
  choice: () => ExclusionChoice,
): Exclusions {
  return createExclusions({
    ...{ choice, labelOf },
    home: homedir(),
    projectNamed: current,
    projectOfSession: (id) => sessions.byClaudeId(id)?.project,
  });
}

const pathIdentity = "path:";

/** Folders of a project: those that identify it, and the last one used. */
export function buildCheckouts(
  { projects }: Pick<Store, "projects">,
  names: Pick<WorkerProjects, "labelOf" | "placeOf">,
): Checkouts {
  return createCheckouts({
    ...names,
    rootsOf: (label) => [...foldersOf({ projects }, label).roots],
  });
}

/** Folders and names of the project with this present or former label. */
export function foldersOf({ projects }: Pick<Store, "projects">, label: string): ProjectFolders {
  const project = projects.byAlias(label) ?? projects.byLabel(label);
  if (project === undefined) return { roots: [], names: [label] };
  const { id } = project;
  const told = projects.identitiesOf(id).filter((identity) => identity.startsWith(pathIdentity));
  const last = projects.folderOf(id);
  const roots = [
    ...told.map((identity) => identity.slice(pathIdentity.length)),
    ...(last === null ? [] : [last]),
  ];
  return {
    roots: [...new Set(roots)].filter((root) => isAbsolute(root)),
    names: [project.label, ...projects.aliasesOf(id)],
  };
}

/** What the explanation of context reads of the store and of projects. */
export function createExplainDeps({
  store,
  projects,
  exclusions,
}: {
  store: Store;
  projects: Pick<WorkerProjects, "labelOf">;
  exclusions: Exclusions;
}): Omit<ExplainDeps, "context" | "writtenAt" | "agent"> {
  return {
    isExcluded: ({ project, cwd }) => exclusions.hasPlace({ project, cwd: cwd ?? undefined }),
    byId: store.observations.byId,
    projects: store.projects.labels,
    placeOf: ({ project, cwd }) =>
      // An agent works in the project's folder; files are compared with the records there.
      project === undefined
        ? { project: projects.labelOf(cwd), cwd }
        : { project, cwd: foldersOf(store, project).roots.at(-1) ?? null },
  };
}

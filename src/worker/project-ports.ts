// Which project a directory belongs to, over the store and this machine.
import { homedir } from "node:os";
import type { Clock } from "../clock.ts";
import { createProjectNames, type ProjectNames } from "../projects/names.ts";
import { createPlaces, type Place } from "../projects/places.ts";
import { createRootCommits } from "../projects/root-commits.ts";
import type { Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";
import type { Store } from "../store/sqlite/store.ts";

interface ProjectDeps {
  store: Pick<Store, "projects">;
  env: Environment;
  clock: Clock;
}

export interface WorkerProjects extends ProjectNames {
  placeOf(cwd: string): Place;
  /** Ends what is still being looked for. */
  close(): void;
}

export function buildProjects({ store, env, clock }: ProjectDeps): WorkerProjects {
  const rootCommits = createRootCommits(findExecutable(env, "git"));
  const placeOf = createPlaces({ clock, home: homedir(), rootCommits });
  return { ...createProjectNames(placeOf, store.projects), placeOf, close: rootCommits.stop };
}

// Which project a directory belongs to, over the store and this machine.
import { homedir } from "node:os";
import type { Clock } from "../clock.ts";
import { createProjectNames, type ProjectNames } from "../projects/names.ts";
import { createPlaces, type Place } from "../projects/places.ts";
import { createRelabel, type Relabel } from "../projects/relabel.ts";
import { createRootCommits } from "../projects/root-commits.ts";
import type { Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";
import type { Store } from "../store/sqlite/store.ts";

interface ProjectDeps {
  store: Store;
  env: Environment;
  clock: Clock;
  /** Labels are others now. */
  onChange(): void;
}

export interface WorkerProjects extends ProjectNames {
  placeOf(cwd: string): Place;
  relabel: Relabel;
  /** Ends what is still being looked for or moved. */
  close(): Promise<void>;
}

export function buildProjects({ store, env, clock, onChange }: ProjectDeps): WorkerProjects {
  const rootCommits = createRootCommits(findExecutable(env, "git"));
  const placeOf = createPlaces({ clock, home: homedir(), rootCommits });
  const relabel = createRelabel(store, onChange);
  return {
    ...createProjectNames(placeOf, store.projects),
    placeOf,
    relabel,
    close() {
      rootCommits.stop();
      return relabel.stop();
    },
  };
}

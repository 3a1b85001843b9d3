// What the explanation of context needs of the store and of the projects.
import type { ExplainDeps } from "../context/explain.ts";
import type { Store } from "../store/sqlite/store.ts";
import { foldersOf, type WorkerProjects } from "./project-ports.ts";

interface ExplainPortsDeps {
  store: Store;
  projects: Pick<WorkerProjects, "labelOf">;
}

export function explainPorts({ store, projects }: ExplainPortsDeps): Omit<ExplainDeps, "context"> {
  return {
    byId: store.observations.byId,
    projects: store.projects.labels,
    placeOf: ({ project, cwd }) =>
      // An agent works in the project's folder; files are compared with the records there.
      project === undefined
        ? { project: projects.labelOf(cwd), cwd }
        : { project, cwd: foldersOf(store, project).roots.at(-1) ?? null },
  };
}

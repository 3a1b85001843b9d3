// A request that names a project by a label it no longer has means the project.
import { isJsonObject } from "../../text/json.ts";
import type { App } from "./zod.ts";

/** Replaces old labels in `project` and `projects` of every query, and of the bodies that choose records by project. */
export function installTodaysProjects(app: App, projectNamed: (label: string) => string): void {
  app.addHook("preHandler", (request, _reply, done) => {
    rename(request.query, projectNamed);
    if (choosing.has(request.routeOptions.url ?? "")) rename(request.body, projectNamed);
    done();
  });
}

// In the other bodies `project` is content, or intake looks at it itself.
const choosing = new Set([
  "/api/context/explain",
  "/api/observations/batch",
  "/api/regenerate",
  "/api/search",
  "/api/timeline",
]);

function rename(parameters: unknown, projectNamed: (label: string) => string): void {
  if (!isJsonObject(parameters)) return;
  const { project, projects } = parameters;
  if (typeof project === "string") parameters.project = projectNamed(project);
  if (Array.isArray(projects))
    parameters.projects = projects.map((label) => (typeof label === "string" ? projectNamed(label) : label));
}

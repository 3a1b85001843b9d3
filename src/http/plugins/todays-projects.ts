// Maps former labels of renamed projects to their present ones.
import { isJsonObject } from "../../text/json.ts";
import type { App } from "./zod.ts";

/** Replaces former labels in `project` and `projects` of every query, and of bodies that select records by project. */
export function installTodaysProjects(app: App, projectNamed: (label: string) => string): void {
  app.addHook("preHandler", (request, _reply, done) => {
    rename(request.query, projectNamed);
    if (choosing.has(request.routeOptions.url ?? "")) rename(request.body, projectNamed);
    done();
  });
}

// In other bodies `project` is content, or intake maps it.
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

// Projects over HTTP: list, rename, merge.
import type { Relabel } from "../../capture/projects/relabel.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors } from "../schemas/error.ts";
import {
  mergeBody,
  type ProjectDetails,
  projectDetails,
  relabelled,
  renameBody,
} from "../schemas/projects.ts";

export interface ProjectPorts extends Pick<Relabel, "rename" | "merge"> {
  list(): ProjectDetails["projects"];
}

/** `GET /api/projects/all`, `POST /api/projects/rename` and `/api/projects/merge`. */
export function projectRoutes(app: App, projects: ProjectPorts): void {
  const response = { 200: relabelled, ...changeErrors, 409: errorBody };
  app.get(
    "/api/projects/all",
    {
      schema: {
        summary: "All projects with folders, identities and aliases, newest activity first.",
        response: { 200: projectDetails, ...readErrors },
      },
    },
    () => ({ projects: projects.list() }),
  );
  app.post(
    "/api/projects/rename",
    {
      schema: {
        summary: "Rename a project; the old label stays as an alias.",
        body: renameBody,
        response,
      },
    },
    ({ body }) => projects.rename(body.from, body.to),
  );
  app.post(
    "/api/projects/merge",
    {
      schema: {
        summary: "Move all records of a project into another; its label and identities become aliases of it.",
        body: mergeBody,
        response,
      },
    },
    ({ body }) => projects.merge(body.from, body.into),
  );
}

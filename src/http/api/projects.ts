// Projects over HTTP: what is known of each, renamed and merged.
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
        summary: "Every project with what it is known by, newest activity first.",
        response: { 200: projectDetails, ...readErrors },
      },
    },
    () => ({ projects: projects.list() }),
  );
  app.post(
    "/api/projects/rename",
    {
      schema: {
        summary: "Give a project another label; the old one goes on to mean it.",
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
        summary:
          "Move all records of a project into another; its label and identities go on to mean that one.",
        body: mergeBody,
        response,
      },
    },
    ({ body }) => projects.merge(body.from, body.into),
  );
}

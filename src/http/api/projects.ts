// Projects over HTTP: list, rename, merge, and the context files in their folders.
import type { Relabel } from "../../capture/projects/relabel.ts";
import type { Folders } from "../../context/folders/folders.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors } from "../schemas/error.ts";
import {
  folderFiles,
  mergeBody,
  type ProjectDetails,
  projectDetails,
  refreshedFolders,
  refreshFoldersBody,
  relabelled,
  removedFolders,
  removeFoldersBody,
  renameBody,
} from "../schemas/projects.ts";

export interface ProjectPorts extends Pick<Relabel, "rename" | "merge"> {
  list(): ProjectDetails["projects"];
}

/** `GET /api/projects/all`, `POST /api/projects/rename` and `/api/projects/merge`. */
export function projectRoutes(app: App, projects: ProjectPorts): void {
  const response = { 200: relabelled, ...changeErrors, 409: errorBody };
  route(app, "GET /api/projects/all", {
    summary: "All projects with folders, identities and aliases, newest activity first.",
    response: { 200: projectDetails, ...readErrors },
    handler: () => ({ projects: projects.list() }),
  });
  route(app, "POST /api/projects/rename", {
    summary: "Rename a project; the old label stays as an alias.",
    body: renameBody,
    response,
    handler: ({ body }) => projects.rename(body.from, body.to),
  });
  route(app, "POST /api/projects/merge", {
    summary: "Move all records of a project into another; its label and identities become aliases of it.",
    body: mergeBody,
    response,
    handler: ({ body }) => projects.merge(body.from, body.into),
  });
}

/** `GET /api/folders`, `POST /api/folders/refresh` and `/api/folders/remove`. */
export function folderRoutes(app: App, folders: Folders): void {
  route(app, "GET /api/folders", {
    summary: "Context files written into project folders.",
    response: { 200: folderFiles, ...readErrors },
    handler: () => ({ files: folders.list() }),
  });
  route(app, "POST /api/folders/refresh", {
    summary: "Refresh the context files of one project, or of all; 409 while disabled.",
    body: refreshFoldersBody,
    response: { 200: refreshedFolders, ...changeErrors, 409: errorBody },
    handler: ({ body }) => folders.refresh(body.project),
  });
  route(app, "POST /api/folders/remove", {
    summary: "Remove written context at or below a path, or from all files.",
    body: removeFoldersBody,
    response: { 200: removedFolders, ...changeErrors },
    handler: ({ body }) => folders.remove(body.under),
  });
}

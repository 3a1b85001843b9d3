// Context files in folders over HTTP: listed, refreshed and removed.
import type { Folders } from "../../context/folders/folders.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors } from "../schemas/error.ts";
import {
  folderFiles,
  refreshedFolders,
  refreshFoldersBody,
  removedFolders,
  removeFoldersBody,
} from "../schemas/projects.ts";

/** `GET /api/folders`, `POST /api/folders/refresh` and `/api/folders/remove`. */
export function folderRoutes(app: App, folders: Folders): void {
  app.get(
    "/api/folders",
    {
      schema: {
        summary: "Context files written into project folders.",
        response: { 200: folderFiles, ...readErrors },
      },
    },
    () => ({ files: folders.list() }),
  );
  app.post(
    "/api/folders/refresh",
    {
      schema: {
        summary: "Refresh the context files of one project, or of all; 409 while disabled.",
        body: refreshFoldersBody,
        response: { 200: refreshedFolders, ...changeErrors, 409: errorBody },
      },
    },
    ({ body }) => folders.refresh(body.project),
  );
  app.post(
    "/api/folders/remove",
    {
      schema: {
        summary: "Remove written context at or below a path, or from all files.",
        body: removeFoldersBody,
        response: { 200: removedFolders, ...changeErrors },
      },
    },
    ({ body }) => folders.remove(body.under),
  );
}

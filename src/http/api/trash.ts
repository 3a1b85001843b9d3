// Deleting records, the trash, and undoing.
import type { TrashKind } from "../../core/records/trash.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import {
  type DeletedRecord,
  deletedRecord,
  type EmptiedTrash,
  emptiedTrash,
  type RestoredRecord,
  restoreBody,
  restoredRecord,
  type TrashPage,
  type TrashQuery,
  trashPage,
  trashQuery,
} from "../schemas/trash.ts";

export interface TrashPorts {
  /** Throws `not_found`. */
  remove(kind: TrashKind, id: number): Promise<DeletedRecord>;
  page(request: TrashQuery): TrashPage;
  /** Ends every undo; the rows are deleted in the background. */
  empty(): Promise<EmptiedTrash>;
  /** Throws `not_found`, or `conflict` when present records forbid it. */
  restore(trashId: number): Promise<RestoredRecord>;
}

/** `DELETE /api/observations|summaries|prompts|sessions/:id`, `GET` and `DELETE /api/trash`, `POST /api/trash/:id/restore`. */
export function trashRoutes(app: App, trash: TrashPorts): void {
  for (const { url, kind, what } of deletable) {
    route(app, `DELETE ${url}`, {
      summary: `Delete ${what}. It can be restored for 30 days.`,
      params: idParams,
      response: { 200: deletedRecord, ...changeErrors },
      handler: ({ params: { id } }) => trash.remove(kind, id),
    });
  }
  route(app, "GET /api/trash", {
    summary: "Deleted records and edits that can be undone, newest first.",
    querystring: trashQuery,
    response: { 200: trashPage, ...readErrors },
    handler: ({ query }) => trash.page(query),
  });
  route(app, "DELETE /api/trash", {
    summary: "Empty the trash: nothing of it can be restored.",
    response: { 200: emptiedTrash, ...writeErrors },
    handler: () => trash.empty(),
  });
  route(app, "POST /api/trash/:id/restore", {
    summary: "Restore a deleted record, or the text from before an edit.",
    params: idParams,
    body: restoreBody,
    response: { 200: restoredRecord, ...changeErrors, 409: errorBody },
    handler: ({ params: { id } }) => trash.restore(id),
  });
}

const deletable = [
  { url: "/api/observations/:id", kind: "observation", what: "an observation" },
  { url: "/api/summaries/:id", kind: "summary", what: "a session summary" },
  { url: "/api/prompts/:id", kind: "prompt", what: "a prompt" },
  { url: "/api/sessions/:id", kind: "session", what: "a session with all its records" },
] as const;

// Wire shapes of deleting, editing and restoring records.
import * as z from "zod";
import { trashKinds, undoDays } from "../../core/records/trash.ts";
import { epochMs, pageOf } from "./fields.ts";

const undoUntil = () =>
  epochMs().meta({ description: `Until when it can be undone, ${undoDays} days after it was done.` });

/** Answer of `DELETE` of a record. */
export const deletedRecord = z.lazy(() =>
  z
    .object({
      trash_id: z.int().meta({ description: "For POST /api/trash/{id}/restore." }),
      kind: z.enum(trashKinds),
      id: z.int(),
      deleted: recordCounts(),
      undo_until_epoch: undoUntil(),
    })
    .meta({ id: "DeletedRecord" }),
);

export type DeletedRecord = z.output<typeof deletedRecord>;

/** A page of what can be undone, newest first. */
export const trashPage = z.lazy(() =>
  pageOf(
    z
      .object({
        trash_id: z.int(),
        kind: z.enum(trashKinds),
        id: z.int().meta({ description: "Of the record." }),
        action: z.enum(["deleted", "edited"]),
        title: z.string().meta({ description: "Of the record before." }),
        project: z.string(),
        at_epoch: epochMs(),
        undo_until_epoch: undoUntil(),
      })
      .meta({ id: "TrashEntry" }),
  ),
);

export type TrashPage = z.output<typeof trashPage>;

export const restoreBody = z.lazy(() => z.strictObject({}));

/** Answer of `POST /api/trash/:id/restore`. */
export const restoredRecord = z.lazy(() =>
  z
    .object({ kind: z.enum(trashKinds), id: z.int(), restored: recordCounts() })
    .meta({ id: "RestoredRecord" }),
);

export type RestoredRecord = z.output<typeof restoredRecord>;

function recordCounts() {
  return z.object({ observations: z.int(), summaries: z.int(), prompts: z.int(), sessions: z.int() });
}

// Wire shapes of deleting, editing and restoring records.
import * as z from "zod";
import { trashKinds, undoDays } from "../../core/records/trash.ts";
import { epochMs, optionalText, pageOf, wholeNumberOr } from "./fields.ts";

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

/** Query of `GET /api/trash`. */
export const trashQuery = z.lazy(() =>
  z
    .object({
      offset: wholeNumberOr(0, 0, Number.MAX_SAFE_INTEGER),
      limit: wholeNumberOr(20, 1, 100),
      project: optionalText(),
      kind: z
        .enum(trashKinds)
        .optional()
        .meta({ description: "With `id`: only the entry that restores this deleted record." }),
      id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
    })
    .refine(({ kind, id }) => (kind === undefined) === (id === undefined), {
      path: ["kind"],
      error: "must be given together with `id`",
    }),
);

/** `trashQuery`, inferred. */
export type TrashQuery = z.output<typeof trashQuery>;

/** A page of deletions that can be undone, newest first. */
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
        forget: z
          .object({ id: z.int(), counts: forgetCounts() })
          .optional()
          .meta({ description: "All that one forget deleted: restoring the entry restores all of it." }),
      })
      .meta({ id: "TrashEntry" }),
  ),
);

export type TrashPage = z.output<typeof trashPage>;

/** Answer of `DELETE /api/trash`. */
export const emptiedTrash = z.lazy(() =>
  z
    .object({
      deleted: z.int().meta({ description: "Entries." }),
      left: z.int().meta({
        description:
          "Sessions that were deleted during a private prompt: only their ids stay, since what follows is private too.",
      }),
    })
    .meta({ id: "EmptiedTrash" }),
);

export type EmptiedTrash = z.output<typeof emptiedTrash>;

export const restoreBody = z.lazy(() => z.strictObject({}));

/** Answer of `POST /api/trash/:id/restore`. */
export const restoredRecord = z.lazy(() =>
  z
    .object({
      kind: z.enum(trashKinds),
      id: z.int(),
      restored: recordCounts(),
      left: z
        .int()
        .optional()
        .meta({ description: "Of a forget: entries that cannot be restored now and stay in the trash." }),
      waiting: z
        .int()
        .optional()
        .meta({ description: "Of a large forget: entries that the next request for the same id restores." }),
    })
    .meta({ id: "RestoredRecord" }),
);

export type RestoredRecord = z.output<typeof restoredRecord>;

/** How many records of each kind, and events without a record. */
export function forgetCounts() {
  return recordCounts().extend({ events: z.int() });
}

function recordCounts() {
  return z.object({ observations: z.int(), summaries: z.int(), prompts: z.int(), sessions: z.int() });
}

// Wire shapes of `mem scrub`, which applies today's redaction to stored records.
import * as z from "zod";
import { epochMs, epochMsOrNull } from "./fields.ts";

/** Body of `POST /api/scrub`. */
export const scrubBody = z.lazy(() =>
  z.strictObject({
    dry_run: z.boolean().default(false).meta({ description: "Counts what would change, changes nothing." }),
  }),
);

export type ScrubBody = z.output<typeof scrubBody>;

const changed = () => z.record(z.string(), z.int()).meta({ description: "Rows that changed, by table." });

/** Answer of `POST` and `GET /api/scrub`: the scrub that runs, or the last one. */
export const scrubState = z.lazy(() =>
  z
    .object({
      running: z.boolean(),
      dry_run: z.boolean(),
      done: z.int(),
      total: z.int().meta({ description: "Rows to read." }),
      changed: changed(),
      erased: z.boolean().meta({
        description:
          "The database file was written again without the former texts. False when messages came in: it follows.",
      }),
      files: z
        .object({
          searched: z.int().meta({ description: "Files of the data directory." }),
          words: z.int().meta({ description: "How many redacted words any of them contains." }),
        })
        .nullable(),
      error: z.string().nullable(),
      last: z
        .object({
          id: z.int(),
          at_epoch: epochMs(),
          rows_read: z.int(),
          changed: changed(),
          ended_at_epoch: epochMsOrNull(),
          erased_at_epoch: epochMsOrNull(),
        })
        .nullable()
        .meta({ description: "The receipt of the last run that was no dry run." }),
    })
    .meta({ id: "ScrubState" }),
);

export type ScrubState = z.output<typeof scrubState>;

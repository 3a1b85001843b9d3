// Wire shapes of deleting records by their age.
import * as z from "zod";
import { epochMs, epochMsOrNull } from "./fields.ts";
import { forgetCounts } from "./trash.ts";

const maxDays = 36_500;

/** Body of `POST /api/retention` and `POST /api/retention/plan`. */
export const retentionBody = z.lazy(() =>
  z
    .strictObject({
      project: z.string().min(1).max(4_096).optional().meta({
        description: "The policy of this project; else the general one, for every project without a policy.",
      }),
      days: z.int().min(0).max(maxDays).nullable().meta({
        description:
          "Records that are older go to the trash. Null: off, for a project the general policy again. 0: keep everything of the project.",
      }),
    })
    .refine(({ project, days }) => project !== undefined || days !== 0, {
      path: ["days"],
      error: "must be 1 or more, or null for off",
    }),
);

export type RetentionBody = z.output<typeof retentionBody>;

/** Answer of `GET` and `POST /api/retention`. */
export const retentionState = z.lazy(() =>
  z
    .object({
      days: z.int().nullable().meta({ description: "The general policy; null for off." }),
      projects: z
        .array(z.object({ project: z.string(), days: z.int() }))
        .meta({ description: "Projects with another policy; 0 days keep everything." }),
      last_run_epoch: epochMsOrNull(),
      waits_until_epoch: epochMsOrNull().meta({
        description: "The clock jumped: nothing is removed before this time.",
      }),
      would_remove: forgetCounts().meta({ description: "What is older than its policy now." }),
      samples: z.array(z.string()).meta({ description: "Titles of the newest of these observations." }),
      last_removed: z.object({ at_epoch: epochMs(), counts: forgetCounts() }).nullable(),
    })
    .meta({ id: "RetentionState" }),
);

export type RetentionState = z.output<typeof retentionState>;

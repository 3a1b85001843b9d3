// Wire shapes of deleting many records.
import * as z from "zod";
import { chosenBy } from "../../core/records/forget.ts";
import { epochMs, epochMsOrNull, isoTimestamp } from "./fields.ts";
import { forgetCounts } from "./trash.ts";

const maxIds = 10_000;

/** Body of `POST /api/forget/plan`: which records. */
export const forgetChoice = z.lazy(() =>
  choiceFields().refine(isChoice, { path: ["ids"], error: choiceError }),
);

/** Body of `POST /api/forget`. */
export const forgetBody = z.lazy(() =>
  choiceFields()
    .extend({
      forever: z.boolean().default(false).meta({ description: "Deletes from the trash too: no undo." }),
    })
    .refine(isChoice, { path: ["ids"], error: choiceError }),
);

export type ForgetBody = z.output<typeof forgetBody>;

/** Answer of `POST /api/forget/plan`. */
export const forgetPlan = z.lazy(() =>
  z
    .object({
      counts: forgetCounts(),
      rules: z.int().meta({ description: "Of the observations: rules." }),
      pinned: z.int().meta({ description: "Of the observations: pinned ones." }),
      copies: z.int().meta({
        description:
          "Titles of sessions, causes of injections and injected texts that go, of records that stay.",
      }),
      trashed: z.int().meta({
        description: "Entries of the trash that are removed too when the records are deleted for good.",
      }),
      left_rules: z.array(z.int()).meta({
        description: "Rules said in the project that stay: they apply in every project.",
      }),
      projects: z
        .array(z.object({ project: z.string(), records: z.int() }))
        .meta({ description: "How many records go of each project, the one with the most first." }),
      samples: z.array(z.string()).meta({
        description: "Titles of the newest observations, with their project where several lose records.",
      }),
      files: z.int().meta({
        description: "Files with older copies that are removed when the records are deleted for good.",
      }),
    })
    .meta({ id: "ForgetPlan" }),
);

export type ForgetPlan = z.output<typeof forgetPlan>;

/** Answer of `POST` and `GET /api/forget`: the forget that runs, or the last one. */
export const forgetState = z.lazy(() =>
  z
    .object({
      running: z.boolean(),
      done: z.int(),
      total: z.int(),
      counts: forgetCounts(),
      trash_id: z.int().nullable().meta({ description: "For POST /api/trash/{id}/restore." }),
      undo_until_epoch: epochMsOrNull(),
      gone: z
        .boolean()
        .meta({ description: "Deleted for good: from every table, the full text and the log." }),
      erased: z.boolean().meta({
        description:
          "The database file was written again, so that no bytes are left in its gaps. False when messages came in: it follows.",
      }),
      checked: z
        .object({
          words: z.int().meta({ description: "Words that only the deleted records had." }),
          found: z.int().meta({ description: "How many of them a search finds now." }),
        })
        .nullable(),
      files: z
        .object({
          searched: z.int().meta({ description: "Files of the data directory." }),
          words: z.int().meta({ description: "How many of the words any of them contains." }),
        })
        .nullable()
        .meta({ description: "After deleting for good." }),
      error: z.string().nullable(),
      error_code: z.string().nullable().meta({ description: "As in the body of an error." }),
      goes_on: z.boolean().meta({
        description: "After an error: the worker deletes the rest when it starts again.",
      }),
    })
    .meta({ id: "ForgetState" }),
);

export type ForgetState = z.output<typeof forgetState>;

/** Answer of `GET /api/forget/receipts`, newest first. */
export const forgetReceipts = z.lazy(() =>
  z.object({
    items: z.array(
      z
        .object({
          id: z.int(),
          trash_id: z
            .int()
            .nullable()
            .meta({ description: "For POST /api/trash/{id}/restore; null when it is gone." }),
          chosen_by: z.enum(chosenBy),
          at_epoch: epochMs(),
          counts: forgetCounts(),
          gone_at_epoch: epochMsOrNull().meta({
            description: "When it was deleted for good; null while it can be restored.",
          }),
          erased_at_epoch: epochMsOrNull().meta({
            description: "When the database file was written again without bytes of it.",
          }),
          words: z.int(),
          found: z.int(),
        })
        .meta({ id: "ForgetReceipt" }),
    ),
  }),
);

export type ForgetReceipts = z.output<typeof forgetReceipts>;

function choiceFields() {
  return z.strictObject({
    ids: z
      .array(z.string().max(20))
      .min(1)
      .max(maxIds)
      .optional()
      .meta({ description: "12 is an observation, S12 a session summary, P12 a prompt." }),
    query: z
      .string()
      .max(1_000)
      .regex(/\S/, { error: "must have a word" })
      .optional()
      .meta({ description: "Records that contain every word." }),
    project: z.string().min(1).max(4_096).optional(),
    session: z.string().min(1).max(1_024).optional().meta({
      description: "Id of a session, or its host's id of it.",
    }),
    before: isoTimestamp("start").meta({ description: "Records from before this time." }),
  });
}

const choiceError = "must be given alone, or query, project, session or before without it";

function isChoice({ ids, query, project, session, before }: Partial<Record<string, unknown>>): boolean {
  const isFiltered = [query, project, session, before].some((value) => value !== undefined);
  return (ids !== undefined) !== isFiltered;
}

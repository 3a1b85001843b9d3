// Wire shapes of making again what was written without a model.
import * as z from "zod";
import { isoTimestamp } from "./fields.ts";

/** Body of `POST /api/regenerate`: which records, or `resume` for what is listed already and nothing more. */
export const regenerateBody = z.lazy(() =>
  z
    .strictObject({
      since: isoTimestamp("start"),
      project: z.string().min(1).max(4096).optional(),
      generator: z.string().min(1).max(300).optional(),
      resume: z.boolean().optional(),
    })
    .refine(
      ({ resume, since, project, generator }) =>
        resume !== true || [since, project, generator].every((value) => value === undefined),
      { error: "resume goes on with what is listed: give no since, project or generator with it" },
    ),
);

/** Parameters of `DELETE /api/regenerate`: with `drop` the rest of the list is forgotten, else it stays. */
export const stopQuery = z.lazy(() =>
  z.object({
    drop: z
      .enum(["true", "false"], { error: "must be true or false" })
      .default("false")
      .transform((text) => text === "true"),
  }),
);

/** Answer of all three: how far it is. Everything is counted in raw events. */
export const regenerationState = z.lazy(() =>
  z
    .object({
      running: z.boolean(),
      total: z.int(),
      done: z.int(),
      left: z.int(),
      failed: z.int(),
      waitingFor: z.string().nullable(),
      stoppedBecause: z.string().nullable(),
    })
    .meta({ id: "Regeneration" }),
);

/** `regenerationState`, inferred. */
export type RegenerationAnswer = z.output<typeof regenerationState>;

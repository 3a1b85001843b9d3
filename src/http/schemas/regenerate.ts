// Wire shapes of making again what was written without a model.
import * as z from "zod";
import { tokenBudgets } from "./cost.ts";
import { flag, isoTimestamp, optionalText } from "./fields.ts";

/** Body of `POST /api/regenerate`: which records, or `resume` for what is listed already and nothing more. */
export const regenerateBody = z.lazy(() =>
  z
    .strictObject({
      since: isoTimestamp("start"),
      project: z.string().min(1).max(4096).optional(),
      generator: z.string().min(1).max(300).optional(),
      resume: z.boolean().optional(),
    })
    .refine(resumesAlone, { error: resumeAlone }),
);

/** Parameters of `GET /api/regenerate/plan`: as in the body that would start it. */
export const planQuery = z.lazy(() =>
  z
    .object({
      since: isoTimestamp("start"),
      project: optionalText(),
      generator: optionalText(300),
      resume: flag(),
    })
    .refine(resumesAlone, { error: resumeAlone }),
);

/** Answer of `GET /api/regenerate/plan`: what it would ask and cost. Tokens and costs are estimates. */
export const regenerationPlan = z.lazy(() =>
  z
    .object({
      provider: z.string(),
      model: z.string(),
      observations: z.int(),
      summaries: z.int(),
      sessions: z.int(),
      events: z.int().meta({ description: "The raw events behind them, in which the progress is counted." }),
      calls: z.int(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      costUsd: z.number().nullable().meta({ description: "Null where the price of the model is not known." }),
      budgets: tokenBudgets(),
      running: z.boolean(),
    })
    .meta({ id: "RegenerationPlan" }),
);

/** Parameters of `DELETE /api/regenerate`: with `drop` the rest of the list is forgotten, else it stays. */
export const stopQuery = z.lazy(() => z.object({ drop: flag() }));

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
/** `regenerationPlan`, inferred. */
export type RegenerationPlanAnswer = z.output<typeof regenerationPlan>;

const resumeAlone = "resume continues the listed records: give no since, project or generator with it";

function resumesAlone({
  resume,
  since,
  project,
  generator,
}: {
  resume?: unknown;
  since?: unknown;
  project?: unknown;
  generator?: unknown;
}) {
  return resume !== true || [since, project, generator].every((value) => value === undefined);
}

// Wire shapes of regeneration.
import * as z from "zod";
import { tokenBudgets } from "./cost.ts";
import { flag, isoTimestamp, optionalText } from "./fields.ts";

/** Body of `POST /api/regenerate`: which records, or `resume` for the list as it is. */
export const regenerateBody = z.lazy(() =>
  z
    .strictObject({
      since: isoTimestamp("start"),
      project: z.string().min(1).max(4096).optional(),
      generator: z.string().min(1).max(300).optional(),
      resume: z.boolean().optional(),
    })
    .refine(isResumeAlone, { error: resumeAlone }),
);

/** Parameters of `GET /api/regenerate/plan`: as in the body of the start. */
export const planQuery = z.lazy(() =>
  z
    .object({
      since: isoTimestamp("start"),
      project: optionalText(),
      generator: optionalText(300),
      resume: flag(),
    })
    .refine(isResumeAlone, { error: resumeAlone }),
);

/** Answer of `GET /api/regenerate/plan`. Tokens and costs are estimates. */
export const regenerationPlan = z.lazy(() =>
  z
    .object({
      provider: z.string(),
      model: z.string(),
      observations: z.int(),
      summaries: z.int(),
      sessions: z.int(),
      events: z.int().meta({ description: "Their raw events: the unit of progress." }),
      calls: z.int(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      costUsd: z.number().nullable().meta({ description: "Null when the price of the model is unknown." }),
      budgets: tokenBudgets(),
      running: z.boolean(),
    })
    .meta({ id: "RegenerationPlan" }),
);

/** Parameters of `DELETE /api/regenerate`: `drop` forgets the rest of the list. */
export const stopQuery = z.lazy(() => z.object({ drop: flag() }));

/** Progress, counted in raw events. */
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

const resumeAlone = "resume continues with the list as it is: omit since, project and generator";

function isResumeAlone({ resume, ...filters }: Record<string, unknown>): boolean {
  return resume !== true || Object.values(filters).every((value) => value === undefined);
}

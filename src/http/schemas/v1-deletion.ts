// Wire shapes of deletion and of the audit log.
import * as z from "zod";
import { anyJson } from "./fields.ts";
import { anyId, epochMsIn } from "./v1-fields.ts";

export const deletedParams = z.object({ id: anyId() });
export const purgedParams = z.object({ projectId: anyId() });

/** Answer of `DELETE /v1/memories/:id`. */
export const deletedAnswer = z.object({ deleted: z.literal(true), id: z.string() });

/** Answer of `DELETE /v1/projects/:projectId/memory`: rows that were deleted, by table. */
export const purgedAnswer = z.object({
  purged: z.literal(true),
  projectId: z.string(),
  counts: z.object({
    observations: z.int(),
    observationSources: z.int(),
    agentEvents: z.int(),
    sessions: z.int(),
    jobs: z.int(),
    idempotencyKeys: z.int(),
  }),
});

/** Query of `GET /v1/audit`; `before` is the `nextBefore` of the page before. */
export const auditQuery = z.strictObject({
  action: z.string().min(1).max(100).optional(),
  projectId: anyId().optional(),
  since: z.coerce.number().pipe(epochMsIn()).optional(),
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const auditAnswer = z.object({
  entries: z.array(
    z.object({
      id: z.string(),
      action: z.string(),
      projectId: z.string().nullable(),
      apiKeyId: z.string().nullable(),
      resourceType: z.string(),
      resourceId: z.string().nullable(),
      details: anyJson(),
      requestId: z.string().nullable(),
      createdAtEpoch: z.number(),
    }),
  ),
  nextBefore: z.number().nullable(),
});

const keptDays =
  "Days that raw events are kept, prompts among them (/api/prompts shows them), once nothing waits to be made of them. Records, summaries and sessions stay until they are deleted.";

const daysError = "must be a whole number of days from 1 to 3650, or null";

/** The caller's team, and what it may change of it. */
export const teamAnswer = z.object({
  team: z.object({
    id: z.string(),
    name: z.string(),
    retentionDays: z
      .int()
      .nullable()
      .meta({ description: `${keptDays} Null is the server's setting.` }),
    effectiveRetentionDays: z
      .int()
      .meta({ description: "The days that hold: the team's own, or the server's." }),
    createdAtEpoch: z.number(),
  }),
});

export const teamChange = z.strictObject({
  retentionDays: z
    .int({ error: daysError })
    .min(1, { error: daysError })
    .max(3650, { error: daysError })
    .nullable()
    .meta({ description: `${keptDays} Null is the server's setting.` }),
});

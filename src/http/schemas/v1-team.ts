// Wire shapes of the hosted server: team, projects, usage, deletion, audit log.
import * as z from "zod";
import { anyId, anyJson, anyJsonObject, epochMs, epochMsIn, wholeNumberOr, word } from "./fields.ts";

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

export type PurgedCounts = z.output<typeof purgedAnswer>["counts"];

/** Query of `GET /v1/audit`; `before` is the `nextBefore` of the page before. */
export const auditQuery = z.strictObject({
  action: z.string().min(1).max(100).optional(),
  projectId: anyId().optional(),
  since: z.coerce.number().pipe(epochMsIn()).optional(),
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const auditEntry = z.object({
  id: z.string(),
  action: z.string(),
  projectId: z.string().nullable(),
  apiKeyId: z.string().nullable(),
  resourceType: z.string(),
  resourceId: z.string().nullable(),
  details: anyJson(),
  requestId: z.string().nullable(),
  createdAtEpoch: z.number(),
});

export const auditAnswer = z.object({
  entries: z.array(auditEntry),
  nextBefore: z.number().nullable(),
});

const keptDays =
  "Days that raw events are kept, prompts among them (/api/prompts shows them), once nothing waits to be made of them. Records, summaries and sessions stay until they are deleted.";

const daysError = "must be a whole number of days from 1 to 3650, or null";

/** The caller's team. */
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

/** Answer of `GET /v1/usage`: totals by kind since the first of the month (UTC), and the caps that are set. */
export const usageAnswer = z.object({
  since: z.iso.datetime(),
  resetsAt: z.iso.datetime(),
  usage: z.record(z.string(), z.number()),
  caps: z.object({ monthlyRequests: z.int().nullable(), monthlyTokens: z.int().nullable() }),
});

/** A project of the team. */
export const project = z.lazy(() =>
  z
    .object({
      id: z.string(),
      teamId: z.string(),
      name: z.string(),
      metadata: anyJsonObject(),
      createdAtEpoch: epochMs(),
      updatedAtEpoch: epochMs(),
    })
    .meta({ id: "V1Project" }),
);

/** Query of `GET /v1/projects`. */
export const projectsQuery = z.lazy(() =>
  z.strictObject({ limit: wholeNumberOr(100, 1, 200), after: z.string().max(200).default("") }),
);

/** Projects by name; `nextAfter` is the `after` of the next page, null at the end. */
export const projectsAnswer = z.lazy(() =>
  z.object({ projects: z.array(project), nextAfter: z.string().nullable() }),
);

/** Body of `POST /v1/projects`. */
export const newProject = z.lazy(() =>
  z.strictObject({ name: word(200), metadata: anyJsonObject().default({}) }),
);

export const projectAnswer = z.lazy(() => z.object({ project }));

/** `{ projectId }` of a path. */
export const projectParams = z.lazy(() => z.object({ projectId: anyId() }));

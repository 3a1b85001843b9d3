// Wire shapes of the hosted server's generation jobs.
import * as z from "zod";
import { epochMs, wholeNumberOr } from "./fields.ts";
import { anyId, epochMsOrNull } from "./v1-fields.ts";

/** A job where it is only mentioned: by the event or session that it is about. */
export const v1JobMention = z.lazy(() => z.object(mentionFields()).meta({ id: "V1JobMention" }));

/** A job as callers poll it; `observationIds` is what it made. */
const v1Job = z.lazy(() =>
  z
    .object({
      ...mentionFields(),
      projectId: z.string(),
      teamId: z.string(),
      agentEventId: z.string().nullable(),
      serverSessionId: z.string().nullable(),
      jobType: z.string(),
      attempts: z.int(),
      maxAttempts: z.int(),
      nextAttemptAtEpoch: epochMsOrNull(),
      completedAtEpoch: epochMsOrNull(),
      failedAtEpoch: epochMsOrNull(),
      cancelledAtEpoch: epochMsOrNull(),
      lastError: z.object({ code: z.string(), message: z.string() }).nullable(),
      observationIds: z.array(z.string()),
    })
    .meta({ id: "V1Job" }),
);

export const jobAnswer = z.lazy(() => z.object({ generationJob: v1Job }));

/** Query of `GET /v1/jobs`. */
export const jobsQuery = z.lazy(() =>
  z.strictObject({
    status: z.enum(["queued", "processing", "completed", "failed", "cancelled"]).optional(),
    projectId: anyId().optional(),
    since: wholeNumberOr(0, 0, 253_402_300_799_999),
    limit: wholeNumberOr(50, 1, 200),
    cursor: z.string().max(200).optional(),
  }),
);

/** Jobs, newest first; `nextCursor` asks for those after them, null at the end. */
export const jobsAnswer = z.lazy(() =>
  z.object({ jobs: z.array(v1Job), limit: z.int(), nextCursor: z.string().nullable() }),
);

/** `{ id }` of a path. */
export const anyIdParams = z.lazy(() => z.object({ id: anyId() }));

function mentionFields() {
  return {
    id: z.string(),
    status: z.enum(["queued", "processing", "completed", "failed", "cancelled"]),
    sourceType: z.string(),
    sourceId: z.string(),
    createdAtEpoch: epochMs(),
    updatedAtEpoch: epochMs(),
  };
}

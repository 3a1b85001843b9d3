// Wire shapes of the hosted server: sessions and generation jobs.
import * as z from "zod";
import { anyId, anyJsonObject, epochMs, epochMsOrNull, wholeNumberOr, word } from "./fields.ts";

/** A job, as its event or session refers to it. */
export const v1JobMention = z.lazy(() => z.object(mentionFields()).meta({ id: "V1JobMention" }));

/** A job as callers poll it; `observationIds` are its results. */
export const v1Job = z.lazy(() =>
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

/** A session of an agent. */
export const v1Session = z.lazy(() =>
  z
    .object({
      id: z.string(),
      projectId: z.string(),
      teamId: z.string(),
      contentSessionId: z.string(),
      agentId: z.string().nullable(),
      agentType: z.string().nullable(),
      platformSource: z.string(),
      title: z.string().nullable(),
      status: z.enum(["active", "completed"]),
      metadata: anyJsonObject(),
      startedAtEpoch: epochMs(),
      lastActiveAtEpoch: epochMs(),
      endedAtEpoch: epochMsOrNull(),
      lastGeneratedAtEpoch: epochMsOrNull(),
    })
    .meta({ id: "V1Session" }),
);

/** Body of `POST /v1/sessions/start`; `externalSessionId` is another spelling of `contentSessionId`. */
export const newSession = z.lazy(() =>
  z.strictObject({
    projectId: anyId().optional(),
    contentSessionId: word(512).optional(),
    externalSessionId: word(512).optional(),
    agentId: word(200).optional(),
    agentType: word(200).optional(),
    platformSource: z.string().max(100).optional(),
    title: word(1000).optional(),
    metadata: anyJsonObject().optional(),
  }),
);

/** Body of `POST /v1/sessions/:id/end`: nothing. */
export const nothing = z.lazy(() => z.strictObject({}));

export const sessionAnswer = z.lazy(() => z.object({ session: v1Session }));

/** Answer of the end, with the job of the summary. */
export const sessionEnded = z.lazy(() =>
  z.object({ session: v1Session, generationJob: v1JobMention.nullable() }),
);

// Wire shapes of the hosted server's sessions.
import * as z from "zod";
import { anyJsonObject, epochMs } from "./fields.ts";
import { anyId, epochMsOrNull, word } from "./v1-fields.ts";
import { v1JobMention } from "./v1-jobs.ts";

/** A session of an agent. */
const v1Session = z.lazy(() =>
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

/** Answer of the end: the job that asks for the summary. */
export const sessionEnded = z.lazy(() =>
  z.object({ session: v1Session, generationJob: v1JobMention.nullable() }),
);

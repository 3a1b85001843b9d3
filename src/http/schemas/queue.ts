// Wire shapes of the queue: pending, running and failed messages, retry and drop.
import * as z from "zod";
import { epochMs, isoTimestamp, wholeNumberOr } from "./fields.ts";

/** Parameters of `GET /api/queue`; `since` omits messages accepted before it. */
export const queueQuery = z.lazy(() =>
  z.object({
    status: z
      .enum(["pending", "processing", "dead"], { error: "must be pending, processing or dead" })
      .optional(),
    since: isoTimestamp("start"),
    offset: wholeNumberOr(0, 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumberOr(20, 1, 100),
  }),
);

/** A page of the queue, oldest first; `total` counts all that fit. */
export const queuePage = z.lazy(() =>
  z.object({
    items: z.array(queuedMessage),
    total: z.int(),
    hasMore: z.boolean(),
    offset: z.int(),
    limit: z.int(),
  }),
);

const queuedMessage = z.lazy(() =>
  z
    .object({
      id: z.int(),
      status: z.enum(["pending", "processing", "dead"]),
      session: z.string(),
      project: z.string(),
      kind: z.enum(["observation", "summarize"]),
      tool_name: z.string().nullable(),
      attempts: z.int(),
      failures: z.int(),
      last_error: z.string().nullable(),
      next_try_at_epoch: epochMs().nullable(),
      created_at_epoch: epochMs(),
      ageMs: z.number(),
    })
    .meta({ id: "QueuedMessage" }),
);

/** Body of `POST /api/queue/retry`: ids or a filter; empty means every failed message. */
export const retryBody = z.lazy(() =>
  z.strictObject(selection()).refine((body) => !mixesIdsAndFilter(body), { error: idsOrFilter }),
);

/** Body of `POST /api/queue/drop`: ids, or every dead message. */
export const dropBody = z.lazy(() =>
  z
    .strictObject(selection())
    .refine((body) => !mixesIdsAndFilter(body), { error: idsOrFilter })
    .refine((body) => body.ids !== undefined || body.failed === true, {
      error: "give ids, or failed: true for every dead message",
    }),
);

/**
 * Answer of a retry: `waiting` were due already; those being processed are left to the generator. `resumed`: a pause of the
 * provider was lifted; `waitsUntil`: the vendor wants one until then, which is kept, as is everything that waits.
 */
export const retryAnswer = z.lazy(() =>
  z.object({
    retried: z.int(),
    waiting: z.int(),
    processing: z.int(),
    notFound: z.int(),
    resumed: z.boolean(),
    waitsUntil: epochMs().nullable(),
  }),
);

/** Answer of a drop; dropped messages count as skipped. */
export const dropAnswer = z.lazy(() =>
  z.object({ dropped: z.int(), processing: z.int(), notFound: z.int() }),
);

/** `queuePage`, inferred. */
export type QueuePage = z.output<typeof queuePage>;
/** One row of it. */
export type QueueRow = QueuePage["items"][number];

const mostIds = 1000;

function selection() {
  return {
    ids: z
      .array(z.int().min(1))
      .min(1, { error: "must name at least one message" })
      .max(mostIds, { error: `must name at most ${mostIds} messages` })
      .optional(),
    failed: z.boolean().optional(),
    since: isoTimestamp("start"),
  };
}

const idsOrFilter = "give ids, or failed and since, not both";

function mixesIdsAndFilter({ ids, failed, since }: { ids?: unknown; failed?: unknown; since?: unknown }) {
  return ids !== undefined && (failed !== undefined || since !== undefined);
}

// Wire shapes of the state of the worker: health, queue, counts, repair, sync.
import * as z from "zod";
import { pauseFixes } from "../../core/records/generation-pause.ts";
import { hooksStates } from "../../core/records/hooks-state.ts";
import { unreadReasons } from "../../core/records/unread-event.ts";
import { epochMs, epochMsOrNull } from "./fields.ts";

/** Headers of `GET /api/health`: a nonce asks for proof of identity. */
export const healthHeaders = z.lazy(() =>
  z.looseObject({
    "x-mem-nonce": z
      .string()
      .regex(/^[\w-]{8,128}$/, { error: "must be 8 to 128 letters, digits, - or _" })
      .optional(),
  }),
);

/** Answer of `GET /api/health`; `uptime` in seconds, `notices` are messages for the user. */
export const health = z.lazy(() =>
  z
    .object({
      status: z.enum(["ok", "degraded"]),
      port: z.int(),
      version: z.string(),
      uptime: z.number(),
      pid: z.int(),
      instance: z.string(),
      queue: z.object({
        depth: z.int(),
        oldestPendingAgeMs: z.number().nullable(),
        dead: z.int(),
      }),
      provider,
      paused: pause.nullable(),
      budget: z.string().nullable(),
      /** Absent from workers of an earlier version. */
      vectors: vectors.optional(),
      /** Absent from workers of an earlier version. */
      unreadEvents: z.array(unreadEvents).optional(),
      /** Absent from workers of an earlier version. */
      hosts: z.array(knownHost).optional(),
      /** Absent when sync is not set up, and from workers of an earlier version. */
      sync: deviceSync.optional(),
      /** Rules that the user has not accepted. Absent from workers of an earlier version. */
      proposals: z.int().optional(),
      notices: z.array(z.string()),
    })
    .meta({ id: "Health" }),
);

/** Device sync as far as the device knows without asking the hub. */
const deviceSync = z.lazy(() =>
  z.object({
    state: z.string(),
    /** Why it stopped. */
    reason: z.string().nullable(),
    live: z.boolean(),
    /** Records to push. */
    waiting: z.int(),
    /** Failed operations. */
    failed: z.int(),
    lastError: z.string().nullable(),
  }),
);

/** Answer of `GET /health`. */
export const compatibilityHealth = z.lazy(() =>
  z.object({ status: z.enum(["ok", "degraded"]), timestamp: epochMs(), activeSessions: z.int() }),
);

/** Answer of `GET /api/readiness`: a worker that answers at all takes messages. */
export const readiness = z.lazy(() => z.object({ status: z.literal("ready") }));

/** Answer of `GET /api/version`. */
export const versionAnswer = z.lazy(() => z.object({ version: z.string() }));

/** Vector search: embedder, progress, and the reason for a stop; see `VectorStatus`. */
const vectors = z.lazy(() =>
  z
    .object({
      state: z.enum(["off", "ready", "embedding", "re-embedding", "failing"]),
      embedder: z.string(),
      model: z.string(),
      dimension: z.int().nullable(),
      done: z.int(),
      total: z.int(),
      refused: z.object({ count: z.int(), id: z.int(), reason: z.string() }).nullable().optional(),
      reason: z.string().nullable(),
      next: z.string().nullable(),
      /** Absent from workers of an earlier version. */
      earlier: z
        .object({ embedder: z.string(), model: z.string(), asked: z.boolean() })
        .nullable()
        .optional(),
    })
    .meta({ id: "Vectors" }),
);

/** Events of the last week that could not be read, by host and reason; `last_event` names the newest. */
const unreadEvents = z.lazy(() =>
  z
    .object({
      host: z.string(),
      reason: z.enum(unreadReasons),
      events: z.int(),
      last_event: z.string(),
      last_at_epoch: epochMs(),
    })
    .meta({ id: "UnreadEvents" }),
);

/** A host agent: found on this machine, with hooks of mem, or active before. */
const knownHost = z.lazy(() =>
  z
    .object({
      host: z.string(),
      title: z.string().meta({ description: "For people." }),
      hooks: z.enum(hooksStates).meta({
        description:
          "How its hooks are registered; `outdated`: by another version of mem, `off`: the host runs none.",
      }),
      last_event_at_epoch: epochMsOrNull(),
      last_injection_at_epoch: epochMsOrNull().meta({ description: "Since the worker started." }),
    })
    .meta({ id: "KnownHost" }),
);

/** The provider that is set, the one that writes, and its model; null where it needs none. */
const provider = z.lazy(() =>
  z.object({ name: z.string(), active: z.string(), model: z.string().nullable() }),
);

/**
 * Why no model is called now. `until` null: until the user acts, and `next` names the step. `localWrites`: local rules write
 * meanwhile. `isFallback`: the user never chose this provider.
 */
export const pause = z.lazy(() =>
  z
    .object({
      kind: z.string(),
      message: z.string(),
      until: epochMs().nullable(),
      fix: z.enum(pauseFixes).optional(),
      localWrites: z.boolean().optional(),
      isFallback: z.boolean().optional(),
      next: z.string().nullable(),
    })
    .meta({ id: "Pause" }),
);

/**
 * The queue, and the conservation law: accepted = done + skipped + pending + processing + dead. `lastSuccessAt` is null
 * until something was written in this run of the worker; `budget` is a sentence when a token budget is spent.
 */
export const processingStatus = z.lazy(() =>
  z.object({
    isProcessing: z.boolean(),
    queueDepth: z.int(),
    accepted: z.int(),
    done: z.int(),
    skipped: z.int(),
    pending: z.int(),
    processing: z.int(),
    dead: z.int(),
    oldestPendingAgeMs: z.number().nullable(),
    lastSuccessAt: epochMs().nullable(),
    paused: pause.nullable(),
    provider,
    budget: z.string().nullable(),
  }),
);

/** Answer of `GET /api/stats`; `uptime` in seconds, `size` in bytes. */
export const stats = z.lazy(() =>
  z.object({
    worker: z.object({
      version: z.string(),
      uptime: z.number(),
      activeSessions: z.int(),
      sseClients: z.int(),
      port: z.int(),
    }),
    database: z.object({
      path: z.string(),
      size: z.int(),
      observations: z.int(),
      sessions: z.int(),
      summaries: z.int(),
      prompts: z.int(),
      firstObservationAt: epochMs().nullable(),
    }),
    agent,
  }),
);

/** What the host's agent kept in the last 30 days. Absent from the server, and from workers of an earlier version. */
const agent = z.lazy(() =>
  z
    .object({ turns: z.int(), kept: z.int(), keptTurns: z.int(), missedTurns: z.int() })
    .optional()
    .meta({ description: "`missedTurns`: with a rule, decision or cause in a sentence, and nothing kept." }),
);

/** Answer of `GET /api/projects`. */
export const projectList = z.lazy(() => z.object({ projects: z.array(z.string()) }));

/** Answers of the status routes. */
export type Health = z.output<typeof health>;
/** `compatibilityHealth`, inferred. */
export type CompatibilityHealth = z.output<typeof compatibilityHealth>;
/** `processingStatus`, inferred. */
export type ProcessingStatusAnswer = z.output<typeof processingStatus>;
/** `stats`, inferred. */
export type Stats = z.output<typeof stats>;

export const repairBody = z.lazy(() => z.strictObject({}));

/**
 * Records whose full text, files or vectors wait to be rebuilt; time of the worker's last full check, null before the
 * first; and how many records that check repaired.
 */
export const repairState = z.lazy(() =>
  z.object({ waiting: z.int(), compared_at_epoch: z.int().nullable(), repaired: z.int() }),
);

export type RepairState = z.output<typeof repairState>;

// Shapes of device sync: its status and the choice of projects.
import * as z from "zod";
import { epochMs } from "./fields.ts";

/** Body of `POST /api/sync/pause`, `resume` and `now`. */
export const syncActionBody = z.lazy(() => z.strictObject({}));

/** Body of `POST /api/sync/projects`. */
export const syncProjectBody = z.lazy(() =>
  z.strictObject({
    /** Every project without a separate choice, when left out. */
    project: z.string().trim().min(1).max(500).optional(),
    synced: z.boolean(),
  }),
);

/** What waits for its push. */
const syncPending = z.lazy(() =>
  z.object({
    observations: z.int(),
    summaries: z.int(),
    prompts: z.int(),
    sessions: z.int(),
    deletions: z.int(),
    /** Renamed and merged projects. */
    remaps: z.int(),
    total: z.int(),
  }),
);

const syncProgress = z.lazy(() =>
  z.object({ direction: z.enum(["push", "pull"]), done: z.int(), total: z.int() }),
);

const syncFailure = z.lazy(() =>
  z.object({
    direction: z.enum(["push", "pull"]),
    device: z.string(),
    kind: z.string(),
    id: z.string(),
    revision: z.string(),
    reason: z.string(),
  }),
);

/** The latest read-only probe of the hub. */
const syncHub = z.lazy(() =>
  z.object({
    checkedAt: epochMs(),
    reachable: z.boolean(),
    error: z.string().nullable(),
    epoch: z.string().nullable(),
    headSeq: z.string().nullable(),
    /** Sequence up to which this device has read the log. */
    cursor: z.string(),
    deviceCount: z.int().nullable(),
  }),
);

const syncProject = z.lazy(() =>
  z.object({
    project: z.string(),
    /** Null until the user was asked: its records stay on this device. */
    synced: z.boolean().nullable(),
  }),
);

/** Answer of `GET /api/sync/status` with token, user id and hub address. */
const configuredSync = z.lazy(() =>
  z.object({
    configured: z.literal(true),
    state: z.string(),
    /** Why it stopped, and what a person must change. */
    reason: z.string().nullable(),
    account: z.string(),
    deviceId: z.string().nullable(),
    deviceName: z.string(),
    encrypted: z.boolean(),
    live: z.boolean(),
    pending: syncPending,
    lastFlushAt: epochMs().nullable(),
    lastError: z.string().nullable(),
    progress: syncProgress.nullable(),
    projects: z.array(syncProject),
    /** Whether projects without a choice are synced. */
    otherProjects: z.boolean(),
    /** Records from before this time, the first setup, stay on the device; null when all projects' records leave. */
    earlierStaysSince: epochMs().nullable(),
    failed: z.array(syncFailure),
    hub: syncHub,
  }),
);

/** Answer of `GET /api/sync/status`. */
export const syncStatus = z.lazy(() =>
  z.discriminatedUnion("configured", [z.object({ configured: z.literal(false) }), configuredSync]),
);

export type SyncAnswer = z.output<typeof syncStatus>;

/** Answer of `GET /api/sync/devices`. */
export const syncDevices = z.lazy(() =>
  z.object({
    configured: z.boolean(),
    /** Why the hub does not list them; null when it does. */
    error: z.string().nullable(),
    device_limit: z.int().nullable(),
    items: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        this_device: z.boolean(),
        first_push_at_epoch: epochMs(),
        last_push_at_epoch: epochMs(),
      }),
    ),
  }),
);

export type SyncDevicesAnswer = z.output<typeof syncDevices>;

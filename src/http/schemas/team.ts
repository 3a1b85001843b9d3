// Shapes of sharing with a team: which projects, what waits, what was refused, a search of the team's server.
import * as z from "zod";
import { sharedKinds } from "../../core/records/shared-record.ts";
import { anyId, epochMs, wholeNumberOr } from "./fields.ts";

const name = () => z.string().trim().min(1).max(500);

/** Body of `POST /api/team/projects`. */
export const teamProjectBody = z.lazy(() =>
  z.strictObject({
    project: name(),
    /** The team's project, by name or id. */
    team_project: name(),
    /** Id of the team; another one than before starts without connected projects. */
    team_id: name(),
    /** Records from before now too. */
    earlier: z.boolean().default(false),
  }),
);

/** Body of `POST /api/team/disconnect`. */
export const teamDisconnectBody = z.lazy(() => z.strictObject({ project: name() }));

/** Body of `POST /api/team/send`. */
export const teamSendBody = z.lazy(() => z.strictObject({}));

/** Body of `POST /api/team/search`. */
export const teamSearchBody = z.lazy(() =>
  z.strictObject({
    query: z.string().trim().min(1).max(10_000),
    /** A project of this device that is connected; all of them when it is left out. */
    project: name().optional(),
    limit: wholeNumberOr(20, 1, 100),
  }),
);

const teamProject = z.lazy(() =>
  z.object({
    project: z.string(),
    team_project: z.string(),
    /** Older records stay on this device; 0 for none. */
    since_epoch: epochMs(),
    /** Why the server takes nothing for it. */
    problem: z.string().nullable(),
  }),
);

const refusedRecord = z.lazy(() =>
  z.object({ kind: z.enum(sharedKinds), record_id: z.int(), reason: z.string() }),
);

/** Answer of `GET /api/team`. */
export const teamStatus = z.lazy(() =>
  z.object({
    /** False without address and key: nothing is sent. */
    configured: z.boolean(),
    url: z.string(),
    /** Null before the first connection. */
    team_id: z.string().nullable(),
    state: z.string(),
    /** Why it stopped, and what a person must change. */
    reason: z.string().nullable(),
    last_error: z.string().nullable(),
    last_sent_at_epoch: epochMs().nullable(),
    /** Changes to send. */
    waiting: z.int(),
    /** Records that the team has from this device. */
    shared: z.int(),
    /** Records that the team deleted: they are not sent again. */
    deleted_by_team: z.int(),
    refused: z.array(refusedRecord),
    projects: z.array(teamProject),
  }),
);

/** `teamStatus`, parsed. */
export type TeamStatus = z.output<typeof teamStatus>;

const teamHit = z.lazy(() =>
  z.object({
    /** The server's id. */
    id: z.string(),
    team_project: z.string(),
    kind: z.string(),
    type: z.string(),
    title: z.string(),
    content: z.string(),
    created_at_epoch: epochMs(),
    score: z.number().nullable(),
  }),
);

/** A record that a search of the team's server found. */
export type TeamHit = z.output<typeof teamHit>;

/** Parameters of `GET /api/team/memories/:id`. */
export const teamMemoryParams = z.lazy(() => z.strictObject({ id: anyId() }));

/** Answer of `GET /api/team/memories/:id`. */
export const teamMemory = z.lazy(() => z.object({ memory: teamHit }));

/** Answer of `POST /api/team/search`. */
export const teamSearchAnswer = z.lazy(() => z.object({ items: z.array(teamHit) }));

// Parameters of the worker's routes, as the client takes them; what is undefined is not sent.
import type { QueuedMessage } from "../core/records/queue.ts";
import type { CostAnswer } from "../http/schemas/cost.ts";

/** Parameters of `GET /api/search`; lists are sent as comma lists. */
export interface SearchParameters {
  query?: string | undefined;
  type?: string | undefined;
  format?: "index" | "full" | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
  /** `limit` and `offset` count the records of all kinds. */
  together?: "true" | undefined;
  /** Without routine steps. */
  routine?: "false" | undefined;
  project?: string | undefined;
  obs_type?: string | undefined;
  concepts?: readonly string[] | undefined;
  files?: readonly string[] | undefined;
  branch?: string | undefined;
  dateStart?: string | undefined;
  dateEnd?: string | undefined;
  cwd?: string | undefined;
}

/** Parameters of `GET /api/timeline`: an anchor (12, S12, P12, an ISO time), or a query that finds one. */
export interface TimelineParameters {
  anchor?: string | undefined;
  query?: string | undefined;
  depth_before?: number | undefined;
  depth_after?: number | undefined;
  project?: string | undefined;
  branch?: string | undefined;
  cwd?: string | undefined;
}

export interface PageParameters {
  offset?: number | undefined;
  limit?: number | undefined;
  project?: string | undefined;
}

export interface FeedParameters {
  before?: string | undefined;
  before_epoch?: number | undefined;
  limit?: number | undefined;
  project?: string | undefined;
  cwd?: string | undefined;
}

export interface QueueParameters {
  status?: QueuedMessage["status"] | undefined;
  /** ISO time: only messages that were accepted at or after it. */
  since?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

/** Messages by their ids, or by a filter. */
export interface QueueChoice {
  ids?: readonly number[] | undefined;
  failed?: boolean | undefined;
  since?: string | undefined;
}

/** `since` is an ISO time. */
export interface CostParameters {
  by?: CostAnswer["by"] | undefined;
  since?: string | undefined;
}

/** Which records are deleted: by ids, or by filters that all apply. `before` is an ISO time. */
export interface ForgetParameters {
  ids?: readonly string[] | undefined;
  query?: string | undefined;
  project?: string | undefined;
  session?: string | undefined;
  before?: string | undefined;
}

/** Which records are regenerated, or `resume` for what is queued already. */
export interface RegenerateChoice {
  since?: string | undefined;
  project?: string | undefined;
  generator?: string | undefined;
  resume?: true | undefined;
}

/** Without a project: the one that `cwd` is in. */
export interface RulesParameters {
  project?: string | undefined;
  cwd?: string | undefined;
  all?: boolean | undefined;
  limit?: number | undefined;
}

/** The project, or the one that `cwd` is in, and what a session in it does first. */
export interface ExplainParameters {
  project?: string | undefined;
  cwd?: string | undefined;
  prompt?: string | undefined;
  file?: string | undefined;
  command?: string | undefined;
}

export interface FileParameters {
  path: string;
  project?: string | undefined;
  cwd?: string | undefined;
  limit?: number | undefined;
}

// Parameters of the worker's routes, as the client takes them.
import type { QueuedMessage } from "../core/records/queue.ts";
import type { CostAnswer } from "../http/schemas/cost.ts";

/** Parameters of `GET /api/search`; lists are sent as comma lists. */
export interface SearchParameters {
  query?: string;
  type?: string;
  format?: "index" | "full";
  limit?: number;
  offset?: number;
  project?: string;
  obs_type?: string;
  concepts?: readonly string[];
  files?: readonly string[];
  dateStart?: string;
  dateEnd?: string;
  cwd?: string;
}

/** Parameters of `GET /api/timeline`: an anchor (12, S12, P12, an ISO time), or a query that finds one. */
export interface TimelineParameters {
  anchor?: string;
  query?: string;
  depth_before?: number;
  depth_after?: number;
  project?: string;
  cwd?: string;
}

export interface PageParameters {
  offset?: number;
  limit?: number;
  project?: string;
}

export interface FeedParameters {
  before?: string;
  before_epoch?: number;
  limit?: number;
  project?: string;
}

export interface QueueParameters {
  status?: QueuedMessage["status"];
  /** ISO time: only messages that were accepted at or after it. */
  since?: string;
  offset?: number;
  limit?: number;
}

/** Messages by their ids, or by a filter. */
export interface QueueChoice {
  ids?: readonly number[];
  failed?: boolean;
  since?: string;
}

/** `since` is an ISO time. */
export interface CostParameters {
  by?: CostAnswer["by"];
  since?: string;
}

/** Which records are deleted: by ids, or by filters that all apply. `before` is an ISO time. */
export interface ForgetParameters {
  ids?: readonly string[];
  query?: string;
  project?: string;
  session?: string;
  before?: string;
}

/** Which records are regenerated, or `resume` for what is queued already. */
export interface RegenerateChoice {
  since?: string;
  project?: string;
  generator?: string;
  resume?: true;
}

/** Without a project: the one that `cwd` is in. */
export interface RulesParameters {
  project?: string;
  cwd?: string;
  all?: boolean;
  limit?: number;
}

/** The project, or the one that `cwd` is in, and what a session in it does first. */
export interface ExplainParameters {
  project?: string;
  cwd?: string;
  prompt?: string;
  file?: string;
  command?: string;
}

export interface FileParameters {
  path: string;
  project?: string;
  cwd?: string;
  limit?: number;
}

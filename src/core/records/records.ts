// The stored records, one shape for row, record and JSON (snake_case; times in epoch milliseconds).
import type { Reach, Speaker, StatementKind } from "./statement.ts";

/** The types and concepts of the `code` mode; other modes have their own, so a record can have any. */
export const observationTypes = ["discovery", "decision", "bugfix", "feature", "refactor", "change"] as const;
export type ObservationType = (typeof observationTypes)[number];

export const observationConcepts = [
  "how-it-works",
  "why-it-exists",
  "what-changed",
  "problem-solution",
  "gotcha",
  "pattern",
  "trade-off",
] as const;
export type ObservationConcept = (typeof observationConcepts)[number];

/** The source of a record's content; `web` and `mcp` are untrusted. */
export const provenances = ["user", "file", "command", "agent", "web", "mcp"] as const;
export type Provenance = (typeof provenances)[number];

/** The sources in words for people. */
export const provenanceNames: Record<Provenance, string> = {
  user: "the user",
  file: "a file",
  command: "a command",
  agent: "the agent",
  web: "the web, not trusted",
  mcp: "an MCP server, not trusted",
};

/** Review status of an observation: valid, replaced by another, or wrong. */
export const observationStatuses = ["active", "superseded", "rejected"] as const;
export type ObservationStatus = (typeof observationStatuses)[number];

/** Sync fields of a replicated row; `synced_at` null means not yet in the hub's log. */
export interface SyncColumns {
  synced_at: number | null;
  origin_device_id: string | null;
  origin_local_id: number | null;
  revision: number;
}

/** The git branch and commit of some work: no branch with a detached HEAD, neither outside of a repository. */
export interface GitPlace {
  branch?: string | null | undefined;
  commit?: string | null | undefined;
}

export interface Session extends GitPlace {
  id: number;
  /** The host agent's session identifier. */
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  /** First prompt of the session; empty if private or unknown. */
  user_prompt: string;
  /** Host agent that opened it, for example `claude-code`, or `api`. */
  host: string;
  cwd: string | null;
  title: string | null;
  status: "active" | "completed";
  /** The highest number that a prompt has. */
  prompt_count: number;
  created_at_epoch: number;
  last_active_at_epoch: number;
  completed_at_epoch: number | null;
}

/** A session to store. */
export interface NewSession
  extends Pick<Session, "claude_session_id" | "sdk_session_id" | "project" | "host" | "cwd">,
    GitPlace {
  now: number;
}

/** A session as intake reads it, with the prompt of a message: the newest if it names none or an unknown one. */
export interface IntakeSession
  extends Omit<Session, "user_prompt" | "host" | "cwd" | "title" | "created_at_epoch"> {
  /** Where it began; absent on a server. */
  cwd?: string | null;
  /** 0 without prompts, as `prompt_private`. */
  prompt_number: number;
  prompt_private: 0 | 1;
  newest_prompt_at_epoch: number;
  /** The message names its prompt by a key that no prompt has yet. */
  awaits_prompt?: boolean;
}

/** The prompt that a message names: by the host's id, else by its number. */
export interface NamedPrompt {
  promptKey?: string | undefined;
  prompt_number?: number | undefined;
}

export interface UserPrompt extends SyncColumns, GitPlace {
  id: number;
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  prompt_number: number;
  prompt_text: string;
  created_at_epoch: number;
}

/** A prompt to store; a private one has no text. */
export interface NewPrompt extends Omit<UserPrompt, "id" | "created_at_epoch" | keyof SyncColumns> {
  session_id: number;
  private: 0 | 1;
  event_key: string;
  now: number;
}

/** An observation as stored: the list columns are JSON arrays of strings, as text. */
export interface Observation extends SyncColumns, GitPlace {
  id: number;
  sdk_session_id: string;
  project: string;
  obs_type: string;
  title: string;
  subtitle: string | null;
  /** One sentence: what happened. */
  summary: string;
  /** A few sentences. */
  narrative: string | null;
  /** Free text of records from older systems. */
  text: string | null;
  facts: string;
  concepts: string;
  files_touched: string;
  files_read: string;
  files_modified: string;
  prompt_number: number | null;
  /** `local`, or the model that wrote it. */
  generator: string;
  provenance: Provenance;
  agent_id: string | null;
  agent_type: string | null;
  /** Estimated tokens of the work behind the observation (4 characters each). */
  discovery_tokens: number;
  created_at_epoch: number;
  status: ObservationStatus;
  pinned: 0 | 1;
  /** The observation that replaces this one; kept while that is rejected. */
  superseded_by: number | null;
  /** Who said it, for a statement; null for an account of work. */
  said_by: Speaker | null;
  /** Null for an account of work, and for a wish for the work at hand. */
  statement_kind: StatementKind | null;
  /** 1 for a rule that is valid until the user revokes it. */
  standing: 0 | 1;
  /** Where a rule applies. */
  reach: Reach;
  /** Logit of how likely a colleague would pass the statement on; null for other records. */
  salience: number | null;
  /** 1 for work of no lasting interest: searchable, ranked last, not injected. */
  routine: 0 | 1;
  /** Not stored: its branch, where that is not merged into the branch of the reader. */
  unmerged?: string;
  /** Not stored: false for such a record in an answer. */
  merged?: boolean | undefined;
}

/** The fields of a record that are quoted and compared with a prompt. */
export type QuotedRecord = Pick<
  Observation,
  | "id"
  | "sdk_session_id"
  | "prompt_number"
  | "obs_type"
  | "title"
  | "subtitle"
  | "summary"
  | "said_by"
  | "standing"
  | "reach"
  | "salience"
  | "created_at_epoch"
  | "revision"
> &
  Partial<Pick<Observation, "statement_kind" | "files_read" | "narrative">> &
  GitPlace & { provenance: string; generator?: string; pinned?: 0 | 1; unmerged?: string };

/** The session in which the agent works. */
export interface AgentSession {
  id: number;
  sdk_session_id: string;
  newest_prompt: number;
  prompt_private: 0 | 1;
  branch: string | null;
  commit: string | null;
}

/** Whether a record stands, and who judged it so. */
export interface Judged {
  status: ObservationStatus;
  superseded_by: number | null;
  note: string | null;
}

/** The fields that two rules are compared by. */
export type ComparedRule = Pick<
  Observation,
  | "id"
  | "project"
  | "reach"
  | "said_by"
  | "summary"
  | "narrative"
  | "generator"
  | "pinned"
  | "created_at_epoch"
>;

/** A session summary as stored: the list columns are JSON arrays of strings, as text. */
export interface SessionSummary extends SyncColumns, GitPlace {
  id: number;
  sdk_session_id: string;
  project: string;
  /** The whole summary as one text. */
  summary_text: string;
  request: string | null;
  investigated: string | null;
  learned: string | null;
  completed: string | null;
  next_steps: string | null;
  notes: string | null;
  facts: string;
  concepts: string;
  files_touched: string;
  files_read: string;
  files_modified: string;
  prompt_number: number | null;
  generator: string;
  created_at_epoch: number;
}

/** The list columns of observations and summaries, parsed in search results. */
export type ListColumn = "facts" | "concepts" | "files_touched" | "files_read" | "files_modified";

/** A record with its list columns as string arrays, as search and context return it. */
export type Parsed<R> = { [K in keyof R]: K extends ListColumn ? string[] : R[K] };

/** The record with its JSON list columns parsed; a damaged list reads as empty. */
export function parseLists<R extends Record<ListColumn, string>>(record: R): Parsed<R> {
  return {
    ...record,
    facts: parseList(record.facts),
    concepts: parseList(record.concepts),
    files_touched: parseList(record.files_touched),
    files_read: parseList(record.files_read),
    files_modified: parseList(record.files_modified),
  } as Parsed<R>;
}

/** The texts of a stored list; a damaged one reads as empty. */
export function parseList(json: string): string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
  } catch {
    return [];
  }
}

/**
 * The last activity of a session is noted so often at most: events may be later than it by less. It saves a write on most
 * tool uses; idle time is counted in minutes.
 */
export const activityGrainMs = 1_000;

// Observations of the hosted server: lists are arrays, ids are strings, times are epoch milliseconds.
import type { JsonObject } from "../../text/json.ts";
import type { RecordParts } from "./drafts.ts";
import type { Reach, Speaker, StatementKind, StatementMarks } from "./statement.ts";

interface HostedRecord extends RecordParts {
  id: string;
  team_id: string;
  project_id: string;
  /** The server's id of the session; null for a record without one. */
  session_id: string | null;
  /** observation, session_summary, manual, or another name for records written by hand. */
  kind: string;
  metadata: JsonObject;
  /** `local`, the model that wrote it, or empty. */
  generator: string;
  provenance: string;
  prompt_number: number | null;
}

/** An observation to store. */
export interface NewHostedObservation extends HostedRecord {
  /** The whole record as one text; default: made of its parts. */
  content?: string;
  discovery_tokens: number;
  /** A second record with the same key in the project is not stored. */
  generation_key: string | null;
  created_by_job_id: string | null;
  /** The project's epoch when the work began. */
  memory_epoch: string;
  /** Null is now. */
  created_at_epoch: number | null;
  sources: readonly ObservationSource[];
  /** Set for a statement. */
  statement?: StatementMarks;
  /** Work of no lasting interest. */
  routine?: boolean;
  /** No longer true. */
  ended?: boolean;
}

/** A source of an observation. */
export interface ObservationSource {
  id: string;
  source_type: "agent_event" | "session_summary" | "manual";
  source_id: string;
  generation_job_id: string | null;
}

/** A stored observation. */
export interface HostedObservation extends HostedRecord {
  /** Order of storage; the integer id of the compatibility routes. */
  seq: number;
  /** The whole record as one text. */
  content: string;
  /** Speaker of a statement; null for other observations. */
  said_by: Speaker | null;
  statement_kind: StatementKind | null;
  /** A rule that stands until the user revokes it. */
  standing: boolean;
  /** Where a rule applies. */
  reach: Reach;
  /** How likely a colleague would pass the statement on, a logit; null for other observations. */
  salience: number | null;
  /** Work of no lasting interest. */
  routine: boolean;
  /** `superseded`: replaced by a newer record, or finished by later work. */
  status: "active" | "superseded";
  created_at_epoch: number;
  updated_at_epoch: number;
}

/** Filter of a list of observations; null is no restriction. */
export interface ObservationFilter {
  kind: string | null;
  obs_type: string | null;
  platform_source: string | null;
}

/** Title, summary, narrative and facts as one text; omits a summary equal to the title. */
export function contentOf({
  title,
  subtitle,
  summary,
  narrative,
  facts,
}: Pick<RecordParts, "title" | "subtitle" | "summary" | "narrative" | "facts">): string {
  const story = [title, subtitle ?? "", summary === title ? "" : summary, narrative ?? ""];
  const listed = facts.map((fact) => `- ${fact}`).join("\n");
  return [...story, listed].filter((part) => part.trim() !== "").join("\n\n");
}

// A record of the hosted server as it is stored and read: lists are arrays, ids are texts, times epoch milliseconds.
import type { JsonObject } from "../../text/json.ts";
import type { Reach, Speaker, StatementMarks } from "./statement.ts";

/** What was recorded, before it has a place in the order of its team. */
export interface NewHostedObservation {
  id: string;
  team_id: string;
  project_id: string;
  /** The server's id of the session; null for a record without one. */
  session_id: string | null;
  /** observation, session_summary, manual, or a name of who writes by hand. */
  kind: string;
  /** A type of the mode. */
  obs_type: string;
  title: string;
  subtitle: string | null;
  summary: string;
  narrative: string | null;
  facts: string[];
  /** The whole record as one text; without it that is made of the parts above. */
  content?: string;
  concepts: string[];
  files_read: string[];
  files_modified: string[];
  metadata: JsonObject;
  /** `local`, the model that wrote it, or empty. */
  generator: string;
  provenance: string;
  prompt_number: number | null;
  discovery_tokens: number;
  /** A second record of the project with the same key is not stored. */
  generation_key: string | null;
  created_by_job_id: string | null;
  /** The project's as it was when the work began. */
  memory_epoch: string;
  /** Null is now. */
  created_at_epoch: number | null;
  sources: readonly ObservationSource[];
  /** Set for something that was said or concluded. */
  statement?: StatementMarks;
  /** Work of no lasting interest. */
  routine?: boolean;
  /** It no longer holds. */
  ended?: boolean;
}

/** What a record was made from. */
export interface ObservationSource {
  id: string;
  source_type: "agent_event" | "session_summary" | "manual";
  source_id: string;
  generation_job_id: string | null;
}

/** A stored record, as it is read. */
export interface HostedObservation {
  id: string;
  /** Orders the records; the integer id of the older routes. */
  seq: number;
  team_id: string;
  project_id: string;
  session_id: string | null;
  kind: string;
  obs_type: string;
  title: string;
  subtitle: string | null;
  summary: string;
  narrative: string | null;
  facts: string[];
  concepts: string[];
  files_read: string[];
  files_modified: string[];
  /** The whole record as one text. */
  content: string;
  metadata: JsonObject;
  generator: string;
  provenance: string;
  prompt_number: number | null;
  /** Who said it, for a statement; null for an account of what was done. */
  said_by: Speaker | null;
  /** A rule that stands until the user revokes it. */
  standing: boolean;
  /** Where a rule applies. */
  reach: Reach;
  /** How likely a colleague would pass a statement on, a logit; null for what is none. */
  salience: number | null;
  /** Work of no lasting interest. */
  routine: boolean;
  /** `superseded`: a newer record holds instead, or later work finished what it says. */
  status: "active" | "superseded";
  created_at_epoch: number;
  updated_at_epoch: number;
}

/** Title, summary, narrative and facts as one text; what says the same as the title is left out. */
export function contentOf({
  title,
  subtitle,
  summary,
  narrative,
  facts,
}: Pick<NewHostedObservation, "title" | "subtitle" | "summary" | "narrative" | "facts">): string {
  const story = [title, subtitle ?? "", summary === title ? "" : summary, narrative ?? ""];
  const listed = facts.map((fact) => `- ${fact}`).join("\n");
  return [...story, listed].filter((part) => part.trim() !== "").join("\n\n");
}

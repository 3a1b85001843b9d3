// Events, jobs and sessions of the hosted server.
import type { Json, JsonObject } from "../../text/json.ts";
import type { ProjectScope } from "./tenancy.ts";

/** A stored event. */
export interface HostedEvent extends ProjectScope {
  id: string;
  session_id: string | null;
  source_type: string;
  source_event_id: string | null;
  event_type: string;
  platform_source: string;
  payload: Json;
  metadata: JsonObject;
  occurred_at_epoch: number;
  received_at_epoch: number;
}

/** A reference to a job. */
export interface JobMention {
  id: string;
  status: JobStatus;
  source_type: string;
  source_id: string;
  created_at_epoch: number;
  updated_at_epoch: number;
}

/** An event with its job; null when nothing is generated from it. */
export interface EventWithJob {
  event: HostedEvent;
  job: JobMention | null;
}

/** A source of an observation. */
export interface EventSource {
  id: string;
  source_type: string;
  source_id: string;
  generation_job_id: string | null;
  created_at_epoch: number;
}

export type JobStatus = "queued" | "processing" | "completed" | "failed" | "cancelled";

/** A generation job. */
export interface HostedJob extends JobMention, ProjectScope {
  /** Orders the jobs of a team. */
  seq: number;
  session_id: string | null;
  job_type: string;
  attempts: number;
  max_attempts: number;
  next_attempt_at_epoch: number | null;
  completed_at_epoch: number | null;
  failed_at_epoch: number | null;
  cancelled_at_epoch: number | null;
  last_error: { code: string; message: string } | null;
  observation_ids: string[];
}

/** A session of an agent. */
export interface HostedSession extends ProjectScope {
  id: string;
  content_session_id: string;
  platform_source: string;
  agent_id: string | null;
  agent_type: string | null;
  title: string | null;
  status: "active" | "completed";
  metadata: JsonObject;
  started_at_epoch: number;
  last_active_at_epoch: number;
  ended_at_epoch: number | null;
  last_generated_at_epoch: number | null;
}

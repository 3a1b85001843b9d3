// The worker's bus events; each is one message of `GET /stream`, told apart by `type`.
import type { GenerationPause } from "./generation-pause.ts";
import type { Observation, SessionSummary, UserPrompt } from "./records.ts";
import type { TrashKind } from "./trash.ts";

export interface ProcessingStatus {
  isProcessing: boolean;
  queueDepth: number;
  /** Why no model is asked at the moment, or null. */
  paused: GenerationPause | null;
}

type ShownPrompt = Pick<
  UserPrompt,
  "id" | "claude_session_id" | "project" | "prompt_number" | "prompt_text" | "created_at_epoch"
>;

export type StreamEvent =
  | ({ type: "processing_status" } & ProcessingStatus)
  | { type: "session_started"; sessionDbId: number; project: string }
  | { type: "session_completed"; sessionDbId: number; project: string }
  | { type: "observation_queued"; sessionDbId: number }
  | { type: "summarize_queued" }
  | { type: "observation_created"; observation: Observation }
  | { type: "observation_changed"; observation: Observation }
  | { type: "summary_created"; summary: SessionSummary }
  | { type: "summary_changed"; summary: SessionSummary }
  | ({ type: "new_prompt" | "prompt_changed" } & ShownPrompt)
  | { type: "record_deleted" | "record_restored"; kind: TrashKind; id: number; project: string }
  | ({ type: "initial_load"; projects: string[] } & ProcessingStatus)
  | {
      type: "new_observation";
      id: number;
      title: string;
      subtitle: string | null;
      obs_type: string;
      project: string;
      created_at_epoch: number;
    };

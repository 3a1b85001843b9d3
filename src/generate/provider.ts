// The provider port: what turns a batch of messages of one session into memory. Every provider fits this one shape.
import type { DraftObservation, DraftSummary } from "../core/records/drafts.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Turn } from "../core/records/turn.ts";
import type { TokenUsage } from "./model-client.ts";

/** What a provider is told: messages of one session, oldest first, already cleaned. */
export interface GenerationBatch {
  session: { id: number; claude_session_id: string; project: string; user_prompt: string };
  /** A message that asks for a summary is the last one: it is of its own turn. */
  messages: readonly ClaimedMessage[];
  /**
   * Titles of the session's newest observations, oldest first. Where a summary is asked for, of those that no summary
   * covers yet: what it can lean on.
   */
  recentTitles: readonly string[];
  /** By the id of each message that asks for a summary: its turn. */
  turns?: ReadonlyMap<number, Turn>;
  /** The model has been of no use to anybody lately: one answer tells whether it still is, and the next ones are not paid for. */
  askOnce?: boolean;
}

/** What it gives back. A message that no draft names in its sources was read and held nothing worth recording. */
export interface GenerationReply {
  observations: DraftObservation[];
  summaries: DraftSummary[];
  /** `local`, or the full id of the model that wrote it. */
  generator: string;
  /** Of all calls that were made for it. */
  usage: TokenUsage;
  /** True where `local` stood in for a model that may not be asked, or was of no use: worth making again. */
  upgrade?: boolean;
}

/**
 * Turns messages into drafts. Throws `ModelFailure` when it could not, the loop decides what then; a `MemError` of
 * another kind counts as a failure of these messages. `signal` aborts at shutdown, when the session is cancelled, and at
 * the loop's deadline.
 */
export interface Provider {
  readonly name: string;
  generate(batch: GenerationBatch, signal: AbortSignal): Promise<GenerationReply>;
  /** Writes a message to which the model has no useful answer; absent: such a message is dead. */
  standIn?(batch: GenerationBatch, signal: AbortSignal): Promise<GenerationReply>;
}

/**
 * Titles of what was done: what the next part of a batch need not record again, and what a summary there can lean on. What
 * was said or concluded belongs to the summary of its own turn.
 */
export function titlesOfWork({ observations }: Pick<GenerationReply, "observations">): string[] {
  return observations.filter(({ statement }) => statement === undefined).map(({ title }) => title);
}

// Inputs and answers of intake, and what intake needs besides a store.
import type { Clock } from "../core/clock.ts";
import type { StreamEvent } from "../core/records/events.ts";
import type { SkipReason } from "../core/records/messages.ts";
import type { GitPlace, IntakeSession } from "../core/records/records.ts";
import type { Clean, CleanPrompt } from "../privacy/clean.ts";
import type { Json, JsonObject } from "../text/json.ts";
import type { CaptureStore, Withdrawn } from "./capture-store.ts";
import type { Cleaner } from "./cleaner.ts";
import type { Exclusions } from "./exclusions.ts";

export interface EventInput {
  claudeSessionId: string;
  cwd?: string | undefined;
  /** Label of the project, default: the project of cwd. Only the first event of a session decides. */
  project?: string | undefined;
  /** Host agent, for example `claude-code`. */
  host?: string | undefined;
  /** The host's id of the event; the same key is stored once. */
  eventKey?: string | undefined;
  /** The host's id of the prompt of a message, which may arrive after the next prompt. */
  promptKey?: string | undefined;
  /** Time of a spooled or imported event (epoch ms). */
  at?: number | undefined;
  /** Where an earlier event happened, if its transcript says so. */
  place?: GitPlace | undefined;
  /** When an imported event is imported: local rules write its records, and its raw event is kept from then on. */
  importedAt?: number | undefined;
}

export interface PromptInput extends EventInput {
  prompt: string;
  /** The client's number; used if no prompt has it yet. */
  promptNumber?: number | undefined;
}

export interface ToolUseInput extends EventInput {
  tool_name: string;
  tool_input?: Json | undefined;
  tool_response?: Json | undefined;
  tool_failed?: boolean | undefined;
  prompt_number?: number | undefined;
  agentId?: string | undefined;
  agentType?: string | undefined;
}

export interface SummarizeInput extends EventInput {
  /** Before a compaction: the turn goes on. Equal keys within moments are one event. */
  goesOn?: boolean | undefined;
  /** The event key is a hash of the content: equal keys of one prompt are one event. */
  perPrompt?: boolean | undefined;
  prompt_number?: number | undefined;
  last_user_message?: string | undefined;
  last_assistant_message?: string | undefined;
  agentId?: string | undefined;
}

export type CompleteInput = Pick<EventInput, "claudeSessionId" | "at" | "importedAt">;

/** An event that is stored without further processing. */
export interface OtherInput extends EventInput {
  name: string;
  payload: Json;
}

export interface PromptAnswer {
  sessionDbId: number;
  promptNumber: number;
  skipped: boolean;
  reason?: "private" | "duplicate";
}

export type MessageAnswer = { status: "queued" } | { status: "skipped"; reason: SkipReason };

export interface CompleteAnswer {
  success: true;
  message?: string;
}

export interface Intake {
  /** `cleaned`, here and below: the text of the input, if it was cleaned before. */
  initSession(input: PromptInput, cleaned?: CleanPrompt): Promise<PromptAnswer>;
  observe(input: ToolUseInput): Promise<MessageAnswer>;
  summarize(input: SummarizeInput, cleaned?: Clean<string>): Promise<MessageAnswer>;
  complete(input: CompleteInput): Promise<CompleteAnswer>;
  keep(input: OtherInput, cleaned?: Clean<JsonObject>): Promise<void>;
  /** Completes sessions without activity for `idleMs`: hosts do not always report the end of a session. */
  completeIdle(idleMs: number): Promise<void>;
}

export interface IntakeDeps {
  store: CaptureStore;
  clock: Clock;
  /** Tool names that are not recorded, read for each event. */
  skipTools: () => ReadonlySet<string>;
  /** What the user never wants recorded; default: nothing. */
  exclusions?: Exclusions;
  /** The local port of our own memory; absent on a server. */
  ownPort?: () => number;
  /** Label of a directory's project; called in the transaction of the event. */
  projectOf: (cwd: string) => string;
  /** Label of the project of a directory in another repository than the session's. Default: its project has all. */
  elsewhere?: (cwd: string, session: Pick<IntakeSession, "project" | "cwd">) => string | undefined;
  /**
   * The branch and commit of a directory's work tree; null without a repository, and if the work tree moved after `at`.
   * Default: none is recorded.
   */
  gitPlaceOf?: (cwd: string, at?: number) => GitPlace | null;
  /** Present label of a renamed or merged project. */
  projectNamed: (label: string) => string;
  publish: (event: StreamEvent) => void;
  /** Called after a message of the session is stored. */
  onQueued: (sessionDbId: number) => void;
  /** A private prompt withdrew earlier messages. If a model call shows some of them, resolves after it is canceled. */
  onWithdrawn: (withdrawn: Withdrawn & { sessionDbId: number; project: string }) => Promise<void>;
  /** Default: everything is cleaned in this process. */
  cleaner?: Cleaner;
}

// Intake: everything a host or client tells the worker enters here, is cleaned, decided on, and stored before it is
// acknowledged.
import type { Clock } from "../core/clock.ts";
import type { StreamEvent } from "../core/records/events.ts";
import type { SkipReason } from "../core/records/messages.ts";
import type { Clean, CleanPrompt } from "../privacy/clean.ts";
import type { Json, JsonObject } from "../text/json.ts";
import type { CaptureStore } from "./capture-store.ts";
import { cleanInput } from "./clean-input.ts";
import { type Cleaner, isLarge } from "./cleaner.ts";
import type { InTurn } from "./in-turn.ts";
import { createMessageIntake } from "./message-intake.ts";
import { stepOf } from "./open-session.ts";
import { createPromptIntake } from "./prompt-intake.ts";
import { endUnfinishedTurn } from "./unfinished-turn.ts";

interface InputBase {
  claudeSessionId: string;
  cwd?: string | undefined;
  /** Label of the project; taken from cwd when not given. Only the first event of a session decides. */
  project?: string | undefined;
  /** Host agent, for example `claude-code`. */
  host?: string | undefined;
  /** The host's own id of the event; the same key twice is stored once. */
  eventKey?: string | undefined;
  /** The host's own id of the prompt that a message belongs to; it can come after the next prompt. */
  promptKey?: string | undefined;
  /** When it happened, if it was spooled before it got here (epoch ms). */
  at?: number | undefined;
}

export interface PromptInput extends InputBase {
  prompt: string;
  /** The number the client gave it; taken when no prompt has it yet. */
  promptNumber?: number | undefined;
}

export interface ToolUseInput extends InputBase {
  tool_name: string;
  tool_input?: Json | undefined;
  tool_response?: Json | undefined;
  tool_failed?: boolean | undefined;
  prompt_number?: number | undefined;
  agentId?: string | undefined;
  agentType?: string | undefined;
}

export interface SummarizeInput extends InputBase {
  /** The key only says what was sent: the same again is this event within so long, and later another one. */
  sameWithinMs?: number | undefined;
  /** The same, but for the prompt: two turns may end in the same words. */
  perPrompt?: boolean | undefined;
  prompt_number?: number | undefined;
  last_user_message?: string | undefined;
  last_assistant_message?: string | undefined;
  agentId?: string | undefined;
}

/** The end of a session; `at` is when the host said so. */
export type CompleteInput = Pick<InputBase, "claudeSessionId" | "at">;

/** An event kept as it came, because nothing is made of it. */
export interface OtherInput extends InputBase {
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
  /** `cleaned`, here and below, is what the input's text was cleaned to already; without it that is done here. */
  initSession(input: PromptInput, cleaned?: CleanPrompt): Promise<PromptAnswer>;
  observe(input: ToolUseInput): Promise<MessageAnswer>;
  summarize(input: SummarizeInput, cleaned?: Clean<string>): Promise<MessageAnswer>;
  complete(input: CompleteInput): Promise<CompleteAnswer>;
  keep(input: OtherInput, cleaned?: Clean<JsonObject>): Promise<void>;
  /** Completes sessions without activity for `idleMs`; hosts do not always say that a session ended. */
  completeIdle(idleMs: number): Promise<void>;
}

export interface IntakeDeps {
  store: CaptureStore;
  clock: Clock;
  /** Tool names that are not recorded, as they are set now. */
  skipTools: () => ReadonlySet<string>;
  /** The port of this machine at which our memory is read; absent where there is none. */
  ownPort?: () => number;
  /** Label of the project that a directory belongs to; called in the transaction of what is stored under it. */
  projectOf: (cwd: string) => string;
  /** What a label that a client sent means today: its project may have been renamed or merged. */
  projectNamed: (label: string) => string;
  publish: (event: StreamEvent) => void;
  /** Told after a message of the session is stored. */
  onQueued: (sessionDbId: number) => void;
  /**
   * A private prompt took back what had come before it. When a model is being shown some of it the call is to be broken
   * off: resolves when it is.
   */
  onWithdrawn: (taken: { sessionDbId: number; project: string; isShown: boolean }) => Promise<void>;
  /** Without one everything is cleaned in this process. */
  cleaner?: Cleaner;
}

interface CompletedSession {
  id: number;
  project: string;
  /** The turn that was under way waits to be read. */
  isQueued: boolean;
}

/** Every method resolves after its rows are committed and synced; a rejected call stored nothing. */
export function createIntake(deps: IntakeDeps): Intake {
  const { store, clock, publish } = deps;
  const prompts = createPromptIntake(deps);
  const messages = createMessageIntake(deps);
  function publishCompleted({ id, project, isQueued }: CompletedSession): void {
    if (isQueued) {
      publish({ type: "summarize_queued" });
      deps.onQueued(id);
    }
    publish({ type: "session_completed", sessionDbId: id, project });
  }
  return {
    initSession: (input, cleaned) => prompts.initSession(cleanInput(input), cleaned),
    observe: (input) => messages.observe(cleanInput(input)),
    summarize: (input, cleaned) => messages.summarize(cleanInput(input), cleaned),
    keep: (input, cleaned) => messages.keep(cleanInput(input), cleaned),
    async complete(input) {
      const { claudeSessionId } = cleanInput(input);
      const at = input.at ?? clock.now();
      const done = await store.commit(() => {
        const session = store.sessions.forIntake(claudeSessionId);
        const step = stepOf(session, "complete", { isPrivate: false, at });
        if (session === undefined || step !== "complete") return undefined;
        const isQueued = endUnfinishedTurn(store, session, at);
        store.sessions.complete(session.id, at);
        return { ...session, isQueued };
      });
      if (done === undefined) return { success: true, message: "No active session found" };
      publishCompleted(done);
      return { success: true };
    },
    async completeIdle(idleMs) {
      const now = clock.now();
      const completed = await store.commit(() =>
        store.sessions
          .completeIdle(now - idleMs, now)
          .map((session) => ({ ...session, isQueued: endUnfinishedTurn(store, session, now) })),
      );
      for (const session of completed) publishCompleted(session);
    },
  };
}

/** The intake for those who do not keep the turns of a session themselves. */
export function intakeInTurn(intake: Intake, inTurn: InTurn): Omit<Intake, "keep" | "completeIdle"> {
  // An input has nothing in it but JSON and fields that are left out.
  const turn = <I extends { claudeSessionId: string }, A>(take: (input: I) => Promise<A>) => {
    return (input: I) =>
      inTurn(input.claudeSessionId, isLarge(input as unknown as JsonObject), () => take(input));
  };
  return {
    initSession: turn((input: PromptInput) => intake.initSession(input)),
    observe: turn((input: ToolUseInput) => intake.observe(input)),
    summarize: turn((input: SummarizeInput) => intake.summarize(input)),
    complete: turn((input: CompleteInput) => intake.complete(input)),
  };
}

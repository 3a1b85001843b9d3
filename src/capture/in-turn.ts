// Keeps the events of a session in order, although a large one is cleaned in a thread first.
import type { JsonObject } from "../text/json.ts";
import { isLarge } from "./cleaner.ts";
import type { CompleteInput, Intake, PromptInput, SummarizeInput, ToolUseInput } from "./inputs.ts";

/** Runs `take` for an event of the session: after earlier large events of it, otherwise immediately. */
export type InTurn = <T>(session: string, isLarge: boolean, take: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (session, isLarge, take) => {
    const before = last.get(session);
    if (before === undefined && !isLarge) return take();
    const taken = before === undefined ? take() : before.then(take);
    const settled = taken.then(forget, forget);
    last.set(session, settled);
    return taken;

    function forget(): void {
      if (last.get(session) === settled) last.delete(session);
    }
  };
}

/** The intake for callers that do not order events themselves. */
export function intakeInTurn(intake: Intake, inTurn: InTurn): Omit<Intake, "keep" | "completeIdle"> {
  // Inputs are JSON with optional fields.
  const turn =
    <I extends { claudeSessionId: string }, A>(take: (input: I) => Promise<A>) =>
    (input: I) =>
      inTurn(input.claudeSessionId, isLarge(input as unknown as JsonObject), () => take(input));
  return {
    initSession: turn((input: PromptInput) => intake.initSession(input)),
    observe: turn((input: ToolUseInput) => intake.observe(input)),
    summarize: turn((input: SummarizeInput) => intake.summarize(input)),
    complete: turn((input: CompleteInput) => intake.complete(input)),
  };
}

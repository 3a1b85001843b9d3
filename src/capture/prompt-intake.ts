// Stores a user prompt: opens its session and decides whether the prompt is private.
import { newId } from "../core/ids.ts";
import { asSpooled, canNameText, deletedPromptKey, deliveryKey, sentTextKey } from "../core/prompt-key.ts";
import type { GitPlace, IntakeSession, UserPrompt } from "../core/records/records.ts";
import { shortenPrompt } from "../core/shorten.ts";
import { requestIn } from "../core/tools/host-text.ts";
import type { CleanPrompt } from "../privacy/clean.ts";
import type { CaptureStore, DeletedPrompt, StoredPrompt, Withdrawn } from "./capture-store.ts";
import { cleanHere } from "./cleaner.ts";
import type { Intake, IntakeDeps, PromptAnswer, PromptInput } from "./inputs.ts";
import {
  createSession,
  elsewhere,
  isOfDeleted,
  keepPlace,
  markActive,
  placeOf,
  stepOf,
} from "./session-states.ts";

/** Longer prompts keep what was typed, and head and tail of what was pasted. */
export const maxPromptChars = 256 * 1024;

/** With two registered hooks a host sends a prompt twice: the same text within this time is one prompt. */
const duplicateWithinMs = 10_000;

interface StoredAnswer {
  answer: PromptAnswer;
  session: IntakeSession;
  opened: boolean;
  prompt: UserPrompt | null;
  /** Earlier messages that the private prompt withdrew, and their records. */
  withdrawn: Withdrawn | null;
}

export function createPromptIntake(deps: IntakeDeps): Pick<Intake, "initSession"> {
  const { store, clock, publish, cleaner = cleanHere } = deps;
  return {
    async initSession(input, given?: CleanPrompt) {
      const prompted = given ?? cleaner.prompt(input.prompt);
      const { isPrivate, text } = prompted instanceof Promise ? await prompted : prompted;
      const cleaned = { private: isPrivate, text: isPrivate ? "" : shortenPrompt(text, maxPromptChars) };
      // A host, a hook or another agent wrote it.
      if (!isPrivate && text === "" && input.prompt.trim() !== "")
        return { sessionDbId: 0, promptNumber: 0, skipped: true };
      const place = isPrivate ? null : placeOf(deps, input);
      const told = input.place;
      const stored = await store.commit(() =>
        isLeftOut(store, input, isPrivate)
          ? undefined
          : storePrompt(deps, input, { ...cleaned, place, told, now: input.at ?? clock.now() }),
      );
      if (stored === undefined)
        return { sessionDbId: 0, promptNumber: 0, skipped: true, reason: "duplicate" };
      const { session, prompt, opened, answer } = stored;
      if (stored.withdrawn !== null) {
        const { id: sessionDbId, project } = session;
        await deps.onWithdrawn({ sessionDbId, project, ...stored.withdrawn });
      }
      if (opened) publish({ type: "session_started", sessionDbId: session.id, project: session.project });
      if (prompt !== null && !answer.skipped) {
        const { id, claude_session_id, project, prompt_number, prompt_text, created_at_epoch } = prompt;
        const told = { id, claude_session_id, project, prompt_number, prompt_text, created_at_epoch };
        publish({ type: "new_prompt", ...told });
      }
      return answer;
    },
  };
}

// A spooled private prompt withdraws what was stored before it arrived, in deleted sessions too.
function isLeftOut(store: CaptureStore, input: PromptInput, isPrivate: boolean): boolean {
  return (!isPrivate || input.importedAt !== undefined) && isOfDeleted(store, input);
}

interface CleanedPrompt {
  private: boolean;
  text: string;
  place: GitPlace | null;
  /** The place that a transcript names. */
  told: GitPlace | undefined;
  now: number;
}

function storePrompt(deps: IntakeDeps, input: PromptInput, prompt: CleanedPrompt): StoredAnswer {
  const { store } = deps;
  const existing = store.sessions.forIntake(input.claudeSessionId);
  const numbered = existing && input.promptNumber && store.prompts.byNumber(existing.id, input.promptNumber);
  const earlier = existing && (findEarlier(store, existing, { input, prompt }) ?? sameAs(numbered, prompt));
  if (existing !== undefined && earlier !== undefined)
    return duplicate(existing, { sessionDbId: existing.id, promptNumber: earlier.prompt_number });
  const deleted = findDeleted(store, input, prompt);
  if (deleted !== undefined) {
    const session = existing ?? goOn(deps, input, prompt.now);
    const place = { sessionDbId: session.id, promptNumber: deleted.prompt_number };
    return { ...duplicate(session, place), opened: existing === undefined };
  }
  const step = stepOf(existing, "prompt", { isPrivate: prompt.private, at: prompt.now });
  const session = existing ?? createSession(deps, input, prompt.now);
  // A number of another prompt would apply that prompt's privacy to messages of this one.
  if (numbered) store.sessions.distrustNumbers(session.id);
  const promptNumber = (!numbered && input.promptNumber) || session.prompt_count + 1;
  const eventKey = input.eventKey === undefined ? newId() : freeKey(store, session, input.eventKey, prompt);
  const project = elsewhere(deps, session, input) ?? session.project;
  const row = insertPrompt(store, session, { ...prompt, project, promptNumber, eventKey });
  // Messages of a spooled prompt may have arrived before it and counted as messages of the newest prompt.
  const awaited = prompt.private ? input.eventKey : undefined;
  if (awaited !== undefined) store.withdrawals.inTrash(input.claudeSessionId, awaited);
  const withdrawn =
    awaited === undefined || existing === undefined ? null : store.withdrawals.ofPrompt(session.id, awaited);
  markActive(store, session, { step, now: prompt.now });
  const answer: PromptAnswer = { sessionDbId: session.id, promptNumber, skipped: prompt.private };
  if (prompt.private) answer.reason = "private";
  return { session, opened: step === "create" || step === "reopen", prompt: row, withdrawn, answer };
}

/** The session in which the host goes on after the user deleted its session. A private prompt stays the newest one. */
function goOn(deps: IntakeDeps, input: PromptInput, now: number): IntakeSession {
  const { sessions } = deps.store;
  const isPrivate = sessions.isDeletedPrivate(input.claudeSessionId);
  const session = createSession(deps, input, now);
  if (isPrivate)
    sessions.setNewestPrompt(session.id, { prompt_number: 0, event_key: newId(), private: 1, now });
  return session;
}

function duplicate(
  session: IntakeSession,
  place: Pick<PromptAnswer, "sessionDbId" | "promptNumber">,
): StoredAnswer {
  const answer: PromptAnswer = { ...place, skipped: true, reason: "duplicate" };
  return { session, opened: false, prompt: null, withdrawn: null, answer };
}

function insertPrompt(
  store: CaptureStore,
  session: IntakeSession,
  prompt: CleanedPrompt & { project: string; promptNumber: number; eventKey: string },
): UserPrompt {
  const { promptNumber: prompt_number, eventKey: event_key, project, place, now } = prompt;
  const isPrivate = prompt.private ? 1 : 0;
  const { id, claude_session_id, sdk_session_id } = session;
  const row = store.prompts.insert({
    session_id: id,
    claude_session_id,
    sdk_session_id,
    project,
    prompt_number,
    prompt_text: prompt.text,
    private: isPrivate,
    event_key,
    now,
    ...place,
  });
  if (place !== null) keepPlace(store, session, place, { told: prompt.told, now });
  store.sessions.countPrompt(id, prompt_number);
  // A spooled prompt can arrive after a later one: the time of the prompt decides which is newest.
  if (now >= session.newest_prompt_at_epoch)
    store.sessions.setNewestPrompt(id, { prompt_number, event_key, private: isPrivate, now });
  if (!prompt.private) store.sessions.setUserPrompt(id, prompt.text);
  return row;
}

function findEarlier(
  store: CaptureStore,
  session: IntakeSession,
  { input, prompt }: { input: PromptInput; prompt: CleanedPrompt },
): StoredPrompt | undefined {
  if (input.eventKey !== undefined) {
    const named = store.prompts.byEventKey(session.id, input.eventKey);
    return sameAs(named, prompt) ?? store.prompts.byEventKey(session.id, deliveryKey(input.eventKey, prompt));
  }
  const newest = store.prompts.byNumber(session.id, session.prompt_number);
  if (prompt.private || newest === undefined) return undefined;
  const isSoon = Math.abs(prompt.now - newest.created_at_epoch) < duplicateWithinMs;
  return isSoon ? sameAs(newest, prompt) : undefined;
}

// The key of an edited prompt names the text before.
function sameAs(stored: StoredPrompt | 0 | undefined, prompt: CleanedPrompt): StoredPrompt | undefined {
  if (!stored || (stored.private === 1) !== prompt.private) return undefined;
  const isSame =
    asSpooled(requestIn(stored.prompt_text)) === asSpooled(prompt.text) ||
    stored.event_key.endsWith(`:${sentTextKey(prompt)}`);
  return isSame ? stored : undefined;
}

/** The prompt of this delivery, if the user deleted it. A private one counts as new: what follows it must be private. */
function findDeleted(
  { prompts }: CaptureStore,
  { claudeSessionId, eventKey }: PromptInput,
  prompt: CleanedPrompt,
): DeletedPrompt | undefined {
  if (eventKey === undefined || prompt.private) return undefined;
  return prompts.deletedByKey(deletedPromptKey(claudeSessionId, deliveryKey(eventKey, prompt)));
}

// A prompt typed while the agent works comes with the id of the current prompt.
function freeKey(store: CaptureStore, session: IntakeSession, key: string, prompt: CleanedPrompt): string {
  const isFree = !canNameText(key) && store.prompts.byEventKey(session.id, key) === undefined;
  return isFree ? key : deliveryKey(key, prompt);
}

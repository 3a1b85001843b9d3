// Imports events of past sessions that `mem import` reads from transcripts, through the intake of live events.
import { cleanKey } from "../capture/clean-input.ts";
import { type Cleaner, cleanHere, isLarge } from "../capture/cleaner.ts";
import type { EventInput, Intake, MessageAnswer } from "../capture/inputs.ts";
import type { Clock } from "../core/clock.ts";
import { asSpooled, deletedPromptKey, deliveryKey } from "../core/prompt-key.ts";
import {
  addCounts,
  type ImportBatch,
  type ImportCounts,
  type ImportedEvent,
  noImports,
} from "../core/records/imports.ts";
import type { IntakeSession } from "../core/records/records.ts";
import { shorten } from "../core/shorten.ts";
import type { Host, HostEvent } from "../hosts/host-event.ts";
import type { CleanPrompt } from "../privacy/clean.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { Json, JsonObject } from "../text/json.ts";

interface ImportDeps {
  store: Pick<Store, "commit" | "sessions" | "prompts" | "imports" | "pending">;
  clock: Clock;
  /** An intake that publishes nothing: a past of months is no news. */
  intake: Pick<Intake, "initSession" | "observe" | "summarize" | "complete">;
  hostOf(name: string, payload: JsonObject): Host | undefined;
  /** Days that raw events are kept. */
  rawDays: number;
  /** Resolves when intake is idle enough. */
  idle(): Promise<void>;
  cleaner?: Cleaner;
}

export interface EventImports {
  /** What the source's reader stored last. */
  position(source: string): Json;
  /** Imported messages in the queue. */
  waiting(): number;
  /** Resolves after everything is committed, and most of it is generated. */
  events(batch: ImportBatch): Promise<ImportCounts>;
}

export function createEventImports(deps: ImportDeps): EventImports {
  const { store, clock } = deps;
  const context: Context = { ...deps, cleaner: deps.cleaner ?? cleanHere, turns: new Map() };
  return {
    position: store.imports.position,
    waiting: store.imports.waiting,
    async events({ source, host: hostName, events, position }) {
      let counts = noImports;
      const sessions = new Set<string>();
      for (const part of parts(events)) {
        await deps.idle();
        for (const { payload } of part) sessions.add(String(payload.session_id ?? ""));
        counts = addCounts(counts, await takePart(context, hostName, part));
      }
      const written = [...sessions].flatMap((id) => store.sessions.byClaudeId(cleanKey(id))?.id ?? []);
      await store.commit(() => {
        const now = clock.now();
        for (const session of written) store.imports.touchSession({ session, now });
        if (position !== undefined) store.imports.setPosition(source, position, now);
      });
      await Promise.all(written.map((session) => generated(context, session)));
      return counts;
    },
  };
}

/** How the messages of a session's present turn are taken; set by its prompt. */
interface TurnState {
  turn: string;
  is: "new" | "known" | "deleted";
}

interface Context extends ImportDeps {
  cleaner: Cleaner;
  /** By the host's session id. */
  turns: Map<string, TurnState>;
}

type Outcome = keyof ImportCounts;

// Cleaned and committed together: about as long as a live event of this size blocks.
const partEvents = 20;
const partChars = 65_536;

// A prompt begins a part: it is committed before its messages.
function* parts(events: readonly ImportedEvent[]): Generator<ImportedEvent[]> {
  let part: ImportedEvent[] = [];
  let chars = 0;
  for (const event of events) {
    const size = JSON.stringify(event.payload).length;
    // A large event is cleaned in a thread, and must not be overtaken.
    const isAlone = typeof event.payload.prompt === "string" || isLarge(event.payload);
    if (part.length > 0 && (isAlone || part.length >= partEvents || chars + size > partChars)) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(event);
    chars += size;
    if (!isAlone) continue;
    yield part;
    part = [];
    chars = 0;
  }
  if (part.length > 0) yield part;
}

async function takePart(
  context: Context,
  hostName: string,
  part: readonly ImportedEvent[],
): Promise<ImportCounts> {
  const outcomes = await Promise.all(part.map((imported) => takeEvent(context, hostName, imported)));
  const counts = { ...noImports };
  for (const outcome of outcomes.flat()) counts[outcome] += 1;
  return counts;
}

async function takeEvent(context: Context, hostName: string, imported: ImportedEvent): Promise<Outcome[]> {
  const { event: eventName, payload, key, turn, at } = imported;
  const host = context.hostOf(hostName, payload);
  if (host === undefined) return ["skipped"];
  const decoded = host.decode(eventName, payload);
  const event: Keyed = {
    ...decoded,
    hasOwnKey: decoded.eventKey !== null,
    eventKey: cleanKey(decoded.eventKey ?? key),
    promptKey: turn === null && decoded.promptKey === null ? null : cleanKey(decoded.promptKey ?? turn ?? ""),
  };
  if (event.sessionId === "") return ["skipped"];
  const input = {
    claudeSessionId: event.sessionId,
    cwd: event.cwd ?? undefined,
    project: event.project,
    host: host.name,
    at,
    importedAt: context.clock.now(),
  };
  switch (event.kind) {
    case "prompt":
      return takePrompt(context, { ...event, at, text: event.text }, input);
    case "tool_use":
    case "turn_end":
      return takeMessage(context, event, input);
    case "session_end":
      await context.intake.complete(input);
      return [];
    default:
      return [];
  }
}

type Keyed = HostEvent & { eventKey: string; promptKey: string | null; hasOwnKey: boolean };
type Input = EventInput & { at: number; importedAt: number };

async function takePrompt(
  context: Context,
  event: { sessionId: string; eventKey: string; text: string; at: number },
  input: Input,
): Promise<Outcome[]> {
  const { store, intake, turns } = context;
  const { sessionId, eventKey } = event;
  const cleaned = await context.cleaner.prompt(event.text);
  const is = whatIs(context, event, cleaned);
  turns.delete(sessionId);
  turns.set(sessionId, { turn: eventKey, is });
  const [oldest] = turns.keys();
  if (turns.size > mostTurns && oldest !== undefined) turns.delete(oldest);
  if (is === "known") return ["known"];
  if (is === "deleted") return ["skipped"];
  const isFirst = store.sessions.byClaudeId(cleanKey(sessionId)) === undefined;
  const answer = await intake.initSession({ ...input, eventKey, prompt: event.text }, cleaned);
  // An excluded prompt opens no session.
  const isOpened = isFirst && answer.sessionDbId > 0;
  if (isOpened) await mark(context, answer.sessionDbId);
  return [...(isOpened ? (["sessions"] as const) : []), answer.skipped ? "skipped" : "prompts"];
}

const mostTurns = 1_000;
const maxPromptChars = 256 * 1024;

/** Whether the prompt is stored, under its own key or as the same words at the same time, or was deleted. */
function whatIs(
  { store }: Context,
  { sessionId, eventKey, at }: { sessionId: string; eventKey: string; at: number },
  { isPrivate, text: cleaned }: CleanPrompt,
): TurnState["is"] {
  const text = isPrivate ? "" : shorten(cleaned, maxPromptChars);
  const sent = { private: isPrivate, text };
  const delivery = deliveryKey(eventKey, sent);
  if (!isPrivate && store.prompts.deletedByKey(deletedPromptKey(cleanKey(sessionId), delivery)) !== undefined)
    return "deleted";
  const session = store.sessions.byClaudeId(cleanKey(sessionId));
  if (session === undefined) return "new";
  if (store.prompts.byEventKey(session.id, delivery) !== undefined) return "known";
  // A prompt of an imported session is another one: its key would be the same. A live one may have the hash of its event.
  const isImported = store.imports.importedAt(session.id) !== undefined;
  const near = store.imports
    .promptsNear({ session: session.id, at })
    .filter(({ event_key }) => !isImported || hashedKey.test(event_key));
  const same = [store.prompts.byEventKey(session.id, eventKey), ...near].some(
    (one) =>
      one !== undefined &&
      (one.private === 1) === isPrivate &&
      (asSpooled(one.prompt_text) === asSpooled(text) ||
        one.event_key.endsWith(delivery.slice(eventKey.length))),
  );
  return same ? "known" : "new";
}

const hashedKey = /^[0-9a-f]{64}/;

async function takeMessage(
  context: Context,
  event: Keyed & { kind: "tool_use" | "turn_end" },
  input: Input,
): Promise<Outcome[]> {
  const { intake } = context;
  const session = sessionOf(context, event, input.at);
  const state = context.turns.get(event.sessionId);
  const ofTurn = state !== undefined && (event.promptKey === null || event.promptKey === state.turn);
  if (ofTurn && state.is === "deleted") return ["skipped"];
  if (
    session !== undefined &&
    isKnown(context, event, { session, at: input.at, turn: ofTurn ? state.is : undefined })
  )
    return ["known"];
  const keyed = {
    ...input,
    eventKey: event.eventKey,
    promptKey: session?.promptKey ?? event.promptKey ?? undefined,
  };
  const answer =
    event.kind === "turn_end"
      ? await intake.summarize({
          ...keyed,
          last_assistant_message: event.lastAssistantMessage,
        })
      : await intake.observe({
          ...keyed,
          tool_name: event.toolName,
          tool_input: event.toolInput,
          tool_response: event.toolResponse,
          tool_failed: event.failed,
          agentId: event.agentId ?? undefined,
          agentType: event.agentType ?? undefined,
        });
  if (session === undefined) await markNew(context, event.sessionId, answer);
  if (answer.status === "skipped") return ["skipped"];
  return [event.kind === "turn_end" ? "turns" : "toolUses"];
}

type KnownSession = IntakeSession & { promptKey: string | undefined };

/** The session with the prompt of the message: the one it names, else the newest one until then. */
function sessionOf({ store }: Context, event: Keyed, at: number): KnownSession | undefined {
  const id = cleanKey(event.sessionId);
  const promptKey = event.promptKey ?? undefined;
  const session = store.sessions.forIntake(id, { promptKey });
  if (session === undefined) return undefined;
  if (promptKey !== undefined && session.awaits_prompt !== true) return { ...session, promptKey };
  const before = store.imports.promptAt({ session: session.id, at });
  if (before === undefined) return { ...session, promptKey: undefined };
  const { prompt_number, private: prompt_private, event_key } = before;
  return { ...session, awaits_prompt: false, prompt_number, prompt_private, promptKey: event_key };
}

/** Whether a message was recorded live or imported before, or records of an export or another device stand for it. */
function isKnown(
  { store, clock, rawDays }: Context,
  event: Keyed & { kind: "tool_use" | "turn_end" },
  { session, at, turn }: { session: KnownSession; at: number; turn: TurnState["is"] | undefined },
): boolean {
  // A prompt that only the transcript has: its turn has no records.
  if (turn !== "new" && store.imports.isRepresented(session.id, at)) return true;
  if (event.kind === "turn_end") return store.imports.hasEnd(session.id, session.prompt_number);
  if (store.imports.hasEvent(session.id, event.eventKey)) return true;
  if (turn !== "known") return false;
  const imported = store.imports.importedAt(session.id);
  const purgedBefore = clock.now() - rawDays * dayMs;
  // Raw events, which have the keys, are deleted after some time.
  if (Math.max(at, imported ?? 0) < purgedBefore) return true;
  // A host whose events have no id: a turn that was recorded live is complete.
  return imported === undefined && !event.hasOwnKey;
}

const dayMs = 24 * 3_600_000;

async function markNew(context: Context, sessionId: string, answer: MessageAnswer): Promise<void> {
  const stored =
    answer.status === "queued" ? context.store.sessions.byClaudeId(cleanKey(sessionId)) : undefined;
  if (stored !== undefined) await mark(context, stored.id);
}

function mark({ store, clock }: Context, session: number): Promise<void> {
  return store.commit(() => store.imports.markSession({ session, now: clock.now() }));
}

// More of a session wait in memory of the worker and in its queue only while generation is slower than reading.
const mostWaiting = 200;
const lookEveryMs = 10;
// The client waits for an answer; a provider that hangs must not end the import.
const longestWaitMs = 2_000;

async function generated({ store, clock }: Context, session: number): Promise<void> {
  const since = clock.monotonicMs();
  while (store.pending.ofSession(session) > mostWaiting && clock.monotonicMs() - since < longestWaitMs)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
}

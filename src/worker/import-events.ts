// Imports events of past sessions that `mem import` reads from transcripts, through the intake of live events.
import { cleanKey } from "../capture/clean-input.ts";
import { type Cleaner, isLarge } from "../capture/cleaner.ts";
import type { EventInput, Intake, IntakeDeps } from "../capture/inputs.ts";
import { isBranchName, isCommit } from "../capture/projects/git-head.ts";
import type { ProjectNames } from "../capture/projects/names.ts";
import { maxPromptChars } from "../capture/prompt-intake.ts";
import type { Clock } from "../core/clock.ts";
import { asSpooled, deletedPromptKey, deliveryKey, isHashedKey } from "../core/prompt-key.ts";
import {
  type ImportBatch,
  type ImportCounts,
  type ImportedEvent,
  noImports,
} from "../core/records/imports.ts";
import type { GitPlace, IntakeSession } from "../core/records/records.ts";
import { shortenPrompt } from "../core/shorten.ts";
import { requestIn } from "../core/tools/host-text.ts";
import type { Host, HostEvent } from "../hosts/host-event.ts";
import { type CleanPrompt, cleanText } from "../privacy/clean.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { Json, JsonObject } from "../text/json.ts";

interface ImportDeps {
  store: Store;
  clock: Clock;
  /** An intake that publishes nothing: a past of months is no news. */
  createIntake(parts: Pick<IntakeDeps, "store" | "onQueued">): Intake;
  hostOf(name: string, payload: JsonObject): Host | undefined;
  /** Days that raw events are kept. */
  rawDays: number;
  /** Resolves when intake is idle enough. */
  idle(): Promise<void>;
  /** The session has messages for generation. */
  notify(session: number): void;
  /** Reads the memory files that agents write. Never throws. */
  readMemories(cwd: string, also: Pick<ImportBatch, "host" | "folder">): Promise<void>;
  cleaner: Cleaner;
  projects: Pick<ProjectNames, "settle" | "labelOfGone" | "claimGone">;
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
  const { store, clock, projects } = deps;
  const transaction = createTransaction(store);
  const created = new Set<string>();
  const queued = new Set<number>();
  const sessions: Store["sessions"] = {
    ...store.sessions,
    insert(session) {
      const remote = context.remotes.get(session.claude_session_id);
      if (remote !== undefined) projects.claimGone(session.cwd ?? "", remote);
      const id = store.sessions.insert(session);
      store.imports.markSession({ session: id, now: clock.now() });
      created.add(session.claude_session_id);
      return id;
    },
  };
  const intake = deps.createIntake({
    store: { ...store, sessions, commit: transaction.commit },
    onQueued: (session) => queued.add(session),
  });
  const own = { together: transaction.together, turns: new Map(), remotes: new Map() };
  const context: Context = { ...deps, ...own, intake };
  return {
    position: store.imports.position,
    waiting: store.imports.waiting,
    async events({ source, host: hostName, folder, events, position }) {
      const counts = { ...noImports };
      for (const cwd of new Set(events.map(({ payload }) => String(payload.cwd ?? ""))))
        await projects.settle(cwd);
      for (const part of parts(events)) {
        await deps.idle();
        for (const outcome of await takePart(context, hostName, part)) counts[outcome] += 1;
      }
      const ids = new Set(events.map(({ payload }) => cleanKey(String(payload.session_id ?? ""))));
      counts.sessions = [...ids].filter((id) => created.delete(id)).length;
      const taken = [...ids].flatMap((id) => store.sessions.byClaudeId(id) ?? []);
      const written = taken.map(({ id }) => id);
      const isEnd = events.length === 0 && position === undefined;
      const reached = isEnd ? store.imports.position(source) : position;
      const how = position === undefined ? undefined : repeatable;
      await store.commit(() => {
        const now = clock.now();
        for (const session of written) store.imports.touchSession({ session, now });
        if (reached !== undefined) store.imports.setPosition(source, reached, now);
      }, how);
      // Not event by event: a few large batches of records take a third less time than one for each turn.
      for (const session of queued) deps.notify(session);
      queued.clear();
      context.remotes.clear();
      const folders = isEnd ? store.imports.foldersOf(hostName) : taken.flatMap(({ cwd }) => cwd ?? []);
      for (const cwd of new Set(folders)) await deps.readMemories(cwd, { host: hostName, folder });
      await Promise.all(written.map((session) => generated(context, session)));
      return counts;
    },
  };
}

// A sync for each part was a third of the time of an import. A power cut that takes a part takes the position behind it too.
// The end of an import writes its position again, and syncs.
const repeatable = { repeatable: true } as const;

/** Runs the intake of several events in one transaction: while `together` runs, `commit` writes immediately. */
function createTransaction(store: Pick<Store, "commit">) {
  let open: { failure?: unknown } | null = null;
  return {
    commit<T>(write: () => T): Promise<T> {
      if (open === null) return store.commit(write, repeatable);
      try {
        if (!("failure" in open)) return Promise.resolve(write());
      } catch (failure) {
        open.failure = failure;
      }
      // `together` reports the failure.
      return new Promise(() => undefined);
    },
    together: <T>(take: () => T): Promise<T> =>
      store.commit(() => {
        const mine: { failure?: unknown } = {};
        open = mine;
        try {
          const taken = take();
          if ("failure" in mine) throw mine.failure;
          return taken;
        } finally {
          open = null;
        }
      }, repeatable),
  };
}

/** How the messages of a session's present turn are taken; set by its prompt. */
interface TurnState {
  turn: string;
  is: "new" | "known" | "elsewhere" | "deleted";
}

interface Context extends ImportDeps {
  intake: Intake;
  together: ReturnType<typeof createTransaction>["together"];
  /** By the host's session id. */
  turns: Map<string, TurnState>;
  /** Of sessions whose work tree is gone. */
  remotes: Map<string, string>;
}

type Outcome = keyof ImportCounts;

// Cleaned and committed together: about as long as a batch of records blocks.
const partEvents = 50;
const partChars = 131_072;

function* parts(events: readonly ImportedEvent[]): Generator<ImportedEvent[]> {
  let part: ImportedEvent[] = [];
  let chars = 0;
  for (const event of events) {
    const size = JSON.stringify(event.payload).length;
    // A large event is cleaned in a thread, and must not be overtaken.
    const isAlone = isLarge(event.payload);
    if (part.length > 0 && (isAlone || part.length >= partEvents || chars + size > partChars)) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(event);
    chars = isAlone ? partChars : chars + size;
  }
  if (part.length > 0) yield part;
}

async function takePart(
  context: Context,
  hostName: string,
  part: readonly ImportedEvent[],
): Promise<Outcome[]> {
  const events = part.flatMap((imported) => decoded(context, hostName, imported) ?? []);
  const cleaned = await Promise.all(
    events.map((event) => (event.kind === "prompt" ? context.cleaner.prompt(event.text) : null)),
  );
  const take = () => events.map((event, index) => takeEvent(context, event, cleaned[index] ?? null));
  const isLargeOne = part.length === 1 && part.some(({ payload }) => isLarge(payload));
  const taken = await Promise.all(isLargeOne ? take() : await context.together(take));
  const unknown = part.slice(events.length).map((): Outcome => "skipped");
  return [...taken.flat(), ...unknown];
}

/** An event as its host's hook would have sent it, with the keys that its transcript gives. */
type Keyed = HostEvent & { eventKey: string; promptKey: string | null; hasOwnKey: boolean; at: number };

type Origin = Pick<EventInput, "host" | "place"> & Pick<ImportedEvent, "remote">;

/** Undefined for an event without a session, or of an unknown host. */
function decoded(
  { hostOf }: Context,
  hostName: string,
  { event: name, payload, key, turn, at, branch, commit, remote }: ImportedEvent,
): (Keyed & Origin) | undefined {
  const host = hostOf(hostName, payload);
  const event = host?.decode(name, payload);
  if (host === undefined || event === undefined || event.sessionId === "") return undefined;
  const promptKey = event.promptKey ?? turn;
  return {
    ...event,
    at,
    host: host.name,
    remote,
    place: placeIn(branch, commit),
    hasOwnKey: event.eventKey !== null,
    eventKey: cleanKey(event.eventKey ?? key),
    promptKey: promptKey === null ? null : cleanKey(promptKey),
  };
}

// Claude Code says HEAD where no branch is checked out.
function placeIn(branch: string | undefined, commit: string | undefined): GitPlace | undefined {
  if (branch === undefined && commit === undefined) return undefined;
  const isName = branch !== undefined && branch !== "HEAD" && isBranchName(branch);
  const isId = commit !== undefined && isCommit.test(commit);
  return { branch: isName ? cleanText(branch) : null, commit: isId ? commit : null };
}

type Input = EventInput & { at: number; importedAt: number };

/** Until its first wait it does everything but publish, so that several run in one transaction. */
function takeEvent(
  context: Context,
  event: Keyed & Origin,
  cleaned: CleanPrompt | null,
): Promise<Outcome[]> | Outcome[] {
  const { sessionId: claudeSessionId, cwd, host, place, at, remote } = event;
  const importedAt = context.clock.now();
  const gone = remote && cwd ? context.projects.labelOfGone(cwd, remote) : undefined;
  if (remote !== undefined && gone !== undefined) context.remotes.set(claudeSessionId, remote);
  const project = gone ?? event.project;
  const input = { claudeSessionId, cwd: cwd ?? undefined, project, host, place, at, importedAt };
  switch (event.kind) {
    case "prompt":
      return cleaned === null ? [] : takePrompt(context, event, { ...input, cleaned });
    case "tool_use":
    case "turn_end":
      return takeMessage(context, event, input);
    case "session_end":
      return context.intake.complete(input).then(() => []);
    default:
      return [];
  }
}

function takePrompt(
  context: Context,
  event: Keyed & { text: string },
  { cleaned, ...input }: Input & { cleaned: CleanPrompt },
): Promise<Outcome[]> | Outcome[] {
  const { turns } = context;
  const { sessionId, eventKey } = event;
  const is = whatIs(context, event, cleaned);
  turns.delete(sessionId);
  turns.set(sessionId, { turn: eventKey, is });
  const [oldest] = turns.keys();
  if (turns.size > mostTurns && oldest !== undefined) turns.delete(oldest);
  if (is === "known" || is === "elsewhere") return ["known"];
  if (is === "deleted") return ["skipped"];
  return context.intake
    .initSession({ ...input, eventKey, prompt: event.text }, cleaned)
    .then(({ skipped }) => [skipped ? "skipped" : "prompts"]);
}

const mostTurns = 1_000;

/** Whether the prompt is stored (under its own key, as the same words at the same time, in the session it was copied from) or deleted, there or here. */
function whatIs(
  { store }: Context,
  { sessionId, eventKey, at }: { sessionId: string; eventKey: string; at: number },
  { isPrivate, text: cleaned }: CleanPrompt,
): TurnState["is"] {
  const text = isPrivate ? "" : shortenPrompt(cleaned, maxPromptChars);
  const sent = { private: isPrivate, text };
  const delivery = deliveryKey(eventKey, sent);
  const claude = cleanKey(sessionId);
  const isDeleted =
    store.prompts.deletedByKey(deletedPromptKey(claude, delivery)) !== undefined ||
    store.imports.isDeletedNear({ claude, delivery, at });
  if (!isPrivate && isDeleted) return "deleted";
  if (store.imports.isElsewhere({ claude, at, key: eventKey, delivery, text })) return "elsewhere";
  const session = store.sessions.byClaudeId(claude);
  if (session === undefined) return "new";
  if (store.prompts.byEventKey(session.id, delivery) !== undefined) return "known";
  // A prompt of an imported session is another one: its key would be the same. A live one may have the hash of its event.
  const isImported = store.imports.importedAt(session.id) !== undefined;
  const near = store.imports
    .promptsNear({ session: session.id, at })
    .filter(({ event_key }) => !isImported || isHashedKey(event_key));
  const same = [store.prompts.byEventKey(session.id, eventKey), ...near].some(
    (one) =>
      one !== undefined &&
      (one.private === 1) === isPrivate &&
      (asSpooled(requestIn(one.prompt_text)) === asSpooled(text) ||
        one.event_key.endsWith(delivery.slice(eventKey.length))),
  );
  return same ? "known" : "new";
}

function takeMessage(
  context: Context,
  event: Keyed & { kind: "tool_use" | "turn_end" },
  input: Input,
): Promise<Outcome[]> | Outcome[] {
  const { intake } = context;
  const session = sessionOf(context, event, input.at);
  const state = context.turns.get(event.sessionId);
  const ofTurn = state !== undefined && (event.promptKey === null || event.promptKey === state.turn);
  if (ofTurn && state.is === "deleted") return ["skipped"];
  if (ofTurn && state.is === "elsewhere") return ["known"];
  const turn = ofTurn ? state.is : undefined;
  if (session !== undefined && isKnown(context, event, { session, at: input.at, turn })) return ["known"];
  const keyed = {
    ...input,
    eventKey: event.eventKey,
    promptKey: session?.promptKey ?? event.promptKey ?? undefined,
  };
  const answer =
    event.kind === "turn_end"
      ? intake.summarize({ ...keyed, last_assistant_message: event.lastAssistantMessage })
      : intake.observe({
          ...keyed,
          tool_name: event.toolName,
          tool_input: event.toolInput,
          tool_response: event.toolResponse,
          tool_failed: event.failed,
          agentId: event.agentId ?? undefined,
          agentType: event.agentType ?? undefined,
        });
  const stored = event.kind === "turn_end" ? "turns" : "toolUses";
  return answer.then(({ status }) => [status === "skipped" ? "skipped" : stored]);
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

// What each event of a host puts into its agent's context, and that nothing is put there twice.
import { cleanKey } from "../capture/clean-input.ts";
import type { ActionInjection, ActionRequest } from "../context/action-context.ts";
import type { ToldOfFile } from "../context/file-changes.ts";
import type { FileInjection, Injection, LaterPromptRequest } from "../context/inject.ts";
import type { Ledger, Reader } from "../context/ledger.ts";
import { searchedPart } from "../context/prompt-context.ts";
import { failOpen } from "../core/errors.ts";
import { type HostEvent, replaysTranscript } from "../hosts/host-event.ts";
import { type CleanPrompt, cleanPrompt, cleanText } from "../privacy/clean.ts";
import type { Action } from "../statements/rules/rule-match.ts";

/** What can be put into an agent's context. */
export interface ContextSource {
  /** For the start of a session; an empty text when there is nothing worth telling. */
  forSession(request: { project: string; cwd: string | null }): Promise<Injection>;
  /** For the first prompt. */
  forPrompt(request: {
    project: string;
    cwd: string | null;
    words: string;
    known: ReadonlySet<number>;
    edited: readonly string[];
    withTimeline: boolean;
  }): Promise<Injection>;
  /** For the moment before a file is read or edited; null when nothing is known of it. */
  forFile(request: {
    project: string;
    cwd: string | null;
    path: string;
    known: ReadonlySet<number>;
    told: ToldOfFile;
    exceptSession?: string;
  }): Promise<FileInjection | null>;
  /** For a later prompt: records of what it names. */
  forLaterPrompt(request: LaterPromptRequest): Promise<Injection>;
  /** One line before a command or an edit; null when nothing bears on it. */
  forAction(request: ActionRequest): Promise<ActionInjection | null>;
  /** What names the content that the file has now. */
  contentOf(path: string, cwd: string | null): Promise<string | null>;
}

export interface InjectionDeps {
  context: ContextSource;
  ledger: Ledger;
  projectOf(cwd: string): string;
  /** The session of a host's session id, when it is known. */
  sessionOf(claudeSessionId: string): { project: string; sdk_session_id: string } | undefined;
  /** Paths that the session edited last, newest first. */
  editedPaths(sdkSessionId: string, limit: number): string[];
}

/** Each resolves with the text to put in, or null; `hasLeft` says that nobody waits for it any more. */
export interface Injections {
  atStart(event: Event<"session_start">, how: { eventKey: string; hasLeft: HasLeft }): Promise<string | null>;
  /** `prompt` is what the event's text was cleaned to, where that was done already. */
  atPrompt(
    event: Event<"prompt">,
    how: { hasLeft: HasLeft; prompt?: CleanPrompt | undefined },
  ): Promise<string | null>;
  beforeFile(event: Event<"before_file">, how: { hasLeft: HasLeft }): Promise<string | null>;
  beforeCommand(event: Event<"before_command">, how: { hasLeft: HasLeft }): Promise<string | null>;
  /** The agent has written a file itself: it need not be told that this one changed. */
  afterWrite(event: Event<"tool_use">): Promise<void>;
  /** The host is about to take the agent's context away; `at` when that was heard of later. */
  beforeCompact(event: Event<"before_compact">, at?: number): Promise<void>;
}

type Event<K> = Extract<HostEvent, { kind: K }>;
type HasLeft = () => boolean;

// Context is a gift to the agent, never a condition: without it the session goes on all the same.
export function createInjections(deps: InjectionDeps): Injections {
  return {
    atStart: (event, how) => orNull("context for a session", () => atStart(deps, event, how)),
    atPrompt: (event, how) => orNull("context for a prompt", () => atPrompt(deps, event, how)),
    beforeFile: (event, how) => orNull("context for a file", () => beforeFile(deps, event, how)),
    beforeCommand: (event, { hasLeft }) =>
      orNull("context for a command", () =>
        beforeAction(deps, event, { hasLeft, action: { command: event.command } }),
      ),
    async afterWrite(event) {
      await failOpen("keeping what an agent wrote", () => afterWrite(deps, event));
    },
    async beforeCompact(event, at) {
      await failOpen("forgetting what was injected", () => deps.ledger.forget(readerOf(event), at));
    },
  };
}

async function orNull(what: string, make: () => Promise<string | null>): Promise<string | null> {
  return (await failOpen(what, make)) ?? null;
}

// On a full disk nothing can be kept: twice is better than not at all then.
async function isFirst(take: () => Promise<boolean>): Promise<boolean> {
  return (await failOpen("keeping what was injected", take)) ?? true;
}

// What the context is kept under is cleaned, as intake stores it.
function readerOf({ sessionId, agentId }: HostEvent): Reader {
  return { sessionId: cleanKey(sessionId), agentId: agentId === null ? null : cleanKey(agentId) };
}

interface Place {
  project: string;
  cwd: string | null;
  exceptSession?: string;
}

function placeOf({ sessionOf, projectOf }: InjectionDeps, event: HostEvent): Place | null {
  const cwd = event.cwd === null ? null : cleanText(event.cwd);
  const session = sessionOf(cleanKey(event.sessionId));
  if (session !== undefined) return { project: session.project, cwd, exceptSession: session.sdk_session_id };
  return cwd === null ? null : { project: projectOf(cwd), cwd };
}

/** Sources of a start at which the host has thrown the earlier context away. A start has it in no other case. */
const startsAnew: ReadonlySet<string> = new Set(["clear", "compact"]);

async function atStart(
  deps: InjectionDeps,
  event: Event<"session_start">,
  { eventKey, hasLeft }: { eventKey: string; hasLeft: HasLeft },
): Promise<string | null> {
  const { ledger, context, projectOf } = deps;
  const reader = readerOf(event);
  if (replaysTranscript(event.source)) {
    // The transcript has what its own start and first prompt were told.
    await ledger.take(reader, { moments: ["start", "prompt"], records: [] });
    return null;
  }
  const start = { eventKey, anew: startsAnew.has(event.source) };
  if (event.cwd === null || ledger.hadStart(reader, start)) return null;
  const cwd = cleanText(event.cwd);
  const { text, ...taken } = await context.forSession({ project: projectOf(cwd), cwd });
  if (hasLeft() || !(await isFirst(() => ledger.takeStart(reader, start, taken)))) return null;
  return text || null;
}

// One ranking of all records, at the first prompt: at every prompt it would distract more than it helps.
async function atPrompt(
  deps: InjectionDeps,
  event: Event<"prompt">,
  { hasLeft, prompt }: { hasLeft: HasLeft; prompt?: CleanPrompt | undefined },
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  if (ledger.had(reader, "prompt")) return atLaterPrompt(deps, event, { hasLeft, prompt });
  const place = placeOf(deps, event);
  if (place === null) return null;
  const withTimeline = !ledger.had(reader, "start");
  const words = searchedPart((prompt ?? cleanPrompt(event.text)).text);
  const known = ledger.records(reader);
  const edited = editedPathsOf(deps, place);
  const { text, ...taken } = await context.forPrompt({ ...place, words, known, edited, withTimeline });
  const moments = withTimeline ? (["prompt", "start"] as const) : (["prompt"] as const);
  if (hasLeft() || !(await isFirst(() => ledger.take(reader, { ...taken, moments })))) return null;
  return text || null;
}

// After a compaction the first prompt of a session comes again, in the middle of its work.
function editedPathsOf({ editedPaths }: InjectionDeps, { exceptSession }: Place): string[] {
  return exceptSession === undefined ? [] : editedPaths(exceptSession, mostEditedPaths);
}

const mostEditedPaths = 5;

// Only what it names, and the agent has not seen.
async function atLaterPrompt(
  deps: InjectionDeps,
  event: Event<"prompt">,
  { hasLeft, prompt }: { hasLeft: HasLeft; prompt?: CleanPrompt | undefined },
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  const place = placeOf(deps, event);
  if (place === null) return null;
  const words = searchedPart((prompt ?? cleanPrompt(event.text)).text);
  const { text, ...taken } = await context.forLaterPrompt({
    project: place.project,
    exceptSession: place.exceptSession,
    words,
    known: ledger.records(reader),
  });
  if (text === "" || hasLeft()) return null;
  return (await isFirst(() => ledger.take(reader, { ...taken, moments: [] }))) ? text : null;
}

// Two files that are read at once can have a record in common: whoever comes second leaves it out.
const mostTries = 3;

// The session's own records are left out: its agent has them before its eyes.
async function beforeFile(
  deps: InjectionDeps,
  event: Event<"before_file">,
  { hasLeft }: { hasLeft: HasLeft },
): Promise<string | null> {
  const place = placeOf(deps, event);
  if (place === null) return null;
  const reminder =
    event.toolName === "Read"
      ? null
      : await beforeAction(deps, event, { hasLeft, action: { path: event.path } });
  const records = await aboutFile(deps, event, { hasLeft, place });
  return [reminder, records].filter((text) => text !== null).join("\n") || null;
}

/** Once per session and record: a rule that forbids it, or a known fix. */
async function beforeAction(
  deps: InjectionDeps,
  event: Event<"before_command" | "before_file">,
  { hasLeft, action }: { hasLeft: HasLeft; action: Action },
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  const place = placeOf(deps, event);
  if (place === null) return null;
  const known = ledger.atAction(reader);
  const { project, exceptSession } = place;
  const found = await context.forAction({
    project,
    exceptSession,
    action: inProject(action, event.cwd),
    known,
  });
  if (found === null || hasLeft()) return null;
  const taken = { records: [], atAction: found.quoted.map(({ record }) => record), moments: [] };
  return (await isFirst(() => ledger.take(reader, taken))) ? found.text : null;
}

// A rule about a folder means one of the project, not one above it.
function inProject(action: Action, cwd: string | null): Action {
  const { path } = action;
  if (path === undefined || cwd === null || !path.startsWith(`${cwd}/`)) return action;
  return { ...action, path: path.slice(cwd.length + 1) };
}

async function aboutFile(
  deps: InjectionDeps,
  event: Event<"before_file">,
  { hasLeft, place }: { hasLeft: HasLeft; place: Place },
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  for (let tried = 0; tried < mostTries; tried++) {
    const { records: known, ...told } = ledger.told(reader, event.path);
    const found = await context.forFile({ ...place, path: event.path, known, told });
    if (found === null || hasLeft()) return null;
    const { text, ...taken } = found;
    if (await isFirst(() => ledger.take(reader, { ...taken, moments: [] }))) return text || null;
  }
  return null;
}

// Of a file that nothing is known of there is nothing to say later either.
async function afterWrite({ ledger, context }: InjectionDeps, event: Event<"tool_use">): Promise<void> {
  const path = event.wrote;
  const reader = readerOf(event);
  if (path === undefined || !ledger.told(reader, path).isFileKnown) return;
  const content = await context.contentOf(path, event.cwd);
  if (content !== null) await ledger.know(reader, { path, content });
}

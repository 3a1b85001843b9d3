// Injects context at the events of a host, each record once per reader.
import { cleanKey } from "../capture/clean-input.ts";
import { textTokens } from "../context/budget.ts";
import type { Context } from "../context/context.ts";
import type { PlacedRecord } from "../context/context-port.ts";
import type { Ledger, Reader } from "../context/ledger.ts";
import { searchedPart } from "../context/prompt-context.ts";
import type { Written } from "../context/written.ts";
import { failOpen } from "../core/errors.ts";
import { type Injected, promptCause } from "../core/records/injection.ts";
import { parseRecordName, recordName } from "../core/records/record-name.ts";
import { fetchedItem, reportReader } from "../core/records/usage-report.ts";
import { readRecords } from "../core/tools/own-tools.ts";
import { readCall } from "../core/tools/tool-kind.ts";
import { readResult } from "../core/tools/tool-result.ts";
import { type HostEvent, replaysTranscript } from "../hosts/host-event.ts";
import { type CleanPrompt, cleanPrompt, cleanText } from "../privacy/clean.ts";
import type { Action } from "../statements/rules/rule-match.ts";
import { excerpt } from "../text/excerpt.ts";

export type ContextSource = Pick<
  Context,
  "forSession" | "forPrompt" | "forFile" | "forLaterPrompt" | "forAction" | "contentOf"
>;

export interface InjectionDeps {
  context: ContextSource;
  ledger: Ledger;
  projectOf(cwd: string): string;
  /** Present label of a renamed or merged project. */
  projectNamed(label: string): string;
  /** The session of a host's session id, if known. */
  sessionOf(claudeSessionId: string): { project: string; sdk_session_id: string } | undefined;
  /** The line that tells an agent of this host of the tools that keep records; null where it is not told. */
  toldOf?(host: string): string | null;
  /** What the host's own memory files say to an agent in `cwd`. */
  writtenFor(host: string, cwd: string): Promise<Written>;
  /** Paths that the session edited, newest first. */
  editedPaths(sdkSessionId: string, limit: number): string[];
}

/** Each resolves with the text to inject, or null; `hasLeft` is true when the hook no longer waits. */
export interface Injections {
  atStart(event: Event<"session_start">, how: StartDelivery): Promise<string | null>;
  /** `prompt` is the cleaned text of the event, if it was cleaned before. */
  atPrompt(event: Event<"prompt">, how: PromptDelivery): Promise<string | null>;
  beforeFile(event: Event<"before_file">, how: { hasLeft: HasLeft }): Promise<string | null>;
  beforeCommand(event: Event<"before_command">, how: { hasLeft: HasLeft }): Promise<string | null>;
  /** For a host that repeats it in every turn: the same text to every request. */
  ofProject(event: Event<"context">, how: { host: string }): Promise<string | null>;
  /** What `beforeFile` or `beforeCommand` would inject, on a host that takes context only after a tool. */
  afterTool(event: Event<"tool_use">, how: { hasLeft: HasLeft }): Promise<string | null>;
  /** A file that the agent wrote itself is not reported to it as changed. Records that it read are noted for the report. */
  afterUse(event: Event<"tool_use">): Promise<void>;
  /** The host is about to drop the agent's context; `at` is the time of a spooled event. */
  beforeCompact(event: Event<"before_compact">, at?: number): Promise<void>;
}

type Event<K> = Extract<HostEvent, { kind: K }>;
type HasLeft = () => boolean;

interface StartDelivery {
  host: string;
  eventKey: string;
  hasLeft: HasLeft;
  /** The start's context is left to the first prompt. */
  keepsPromptsOnly?: boolean;
}

interface PromptDelivery {
  host: string;
  hasLeft: HasLeft;
  prompt?: CleanPrompt | undefined;
}

// A failure to make context never fails the event.
export function createInjections(deps: InjectionDeps): Injections {
  return {
    atStart: (event, how) => orNull("context for a session", () => atStart(deps, event, how)),
    atPrompt: (event, how) => orNull("context for a prompt", () => atPrompt(deps, event, how)),
    beforeFile: (event, how) => orNull("context for a file", () => beforeFile(deps, event, how)),
    beforeCommand: (event, how) => orNull("context for a command", () => beforeCommand(deps, event, how)),
    ofProject: (event, how) => orNull("context of a project", () => ofProject(deps, event, how)),
    afterTool: (event, how) => orNull("context after a tool", () => afterTool(deps, event, how)),
    async afterUse(event) {
      await failOpen("noting for the report", () => noteRead(deps, event));
      await failOpen("storing what an agent wrote", () => afterWrite(deps, event));
    },
    async beforeCompact(event, at) {
      await failOpen("forgetting what was injected", () => deps.ledger.forget(readerOf(event), at));
    },
  };
}

async function orNull(what: string, make: () => Promise<string | null>): Promise<string | null> {
  return (await failOpen(what, make)) ?? null;
}

// On a full disk no claim can be stored: injecting twice is better than not at all.
async function isFirst(claim: () => Promise<boolean>): Promise<boolean> {
  return (await failOpen("storing injected records", claim)) ?? true;
}

// Cleaned as intake stores them.
function readerOf({ sessionId, agentId }: HostEvent): Reader {
  return { session: cleanKey(sessionId), reader: agentId === null ? "" : cleanKey(agentId) };
}

interface Shown {
  text: string;
  records: readonly number[];
  /** Every record that the text names, with its section. */
  places?: readonly PlacedRecord[] | undefined;
}

/** The row of the log; nothing for an empty text. */
function injectedAs(
  moment: Injected["moment"],
  cause: string | null,
  { text, records, places = [] }: Shown,
): { injected?: Injected } {
  if (text === "") return {};
  const named = records.map((id) => ({ kind: "observation" as const, id }));
  return {
    injected: {
      ...{ moment, cause, text, tokens: textTokens(text) },
      records: [...places.map(({ record }) => record), ...named],
    },
  };
}

const maxCauseChars = 1000;

interface Place {
  project: string;
  cwd: string | null;
  exceptSession?: string;
}

function placeOf(deps: InjectionDeps, event: HostEvent): Place | null {
  const { sessionOf, projectOf, projectNamed } = deps;
  const cwd = event.cwd === null ? null : cleanText(event.cwd);
  const session = sessionOf(cleanKey(event.sessionId));
  if (session !== undefined) return { project: session.project, cwd, exceptSession: session.sdk_session_id };
  if (event.project !== undefined) return { project: projectNamed(cleanText(event.project)), cwd };
  return cwd === null ? null : { project: projectOf(cwd), cwd };
}

/** Sources of a start at which the host drops the earlier context. */
const resettingSources: ReadonlySet<string> = new Set(["clear", "compact"]);

async function atStart(
  deps: InjectionDeps,
  event: Event<"session_start">,
  { host, eventKey, hasLeft, keepsPromptsOnly = false }: StartDelivery,
): Promise<string | null> {
  const { ledger, context, projectOf, sessionOf } = deps;
  const reader = readerOf(event);
  if (replaysTranscript(event.source)) {
    await atReplay(deps, event);
    return null;
  }
  const start = { eventKey, isReset: resettingSources.has(event.source) };
  if (keepsPromptsOnly) {
    if (start.isReset) await ledger.forget(reader);
    return null;
  }
  if (event.cwd === null || ledger.hadStart(reader, start)) return null;
  const cwd = cleanText(event.cwd);
  const written = await deps.writtenFor(host, cwd);
  const exceptSession = sessionOf(reader.session)?.sdk_session_id ?? "";
  const asked = { project: projectOf(cwd), cwd, written, exceptSession };
  const { text, ...claim } = await context.forSession(asked);
  const log = injectedAs("start", null, { text, ...claim });
  if (hasLeft() || !(await isFirst(() => ledger.claimStart(reader, start, { ...claim, ...log }))))
    return null;
  return withToldOf(deps, host, text);
}

function withToldOf({ toldOf }: InjectionDeps, host: string, text: string): string | null {
  return [text, toldOf?.(host) ?? ""].filter((part) => part !== "").join("\n") || null;
}

// The transcript contains the texts of its start and first prompt. A session that mem knows has none in two cases: the worker
// was unreachable, or the session ended after a compaction before its next prompt. Then its next prompt brings them.
async function atReplay({ ledger, sessionOf }: InjectionDeps, event: Event<"session_start">): Promise<void> {
  const reader = readerOf(event);
  const isKnown = sessionOf(reader.session) !== undefined;
  if (isKnown && !ledger.had(reader, "start")) return;
  await ledger.claim(reader, { moments: ["start", "prompt"], records: [] });
}

// The first one is recorded as the session's start.
async function ofProject(
  deps: InjectionDeps,
  event: Event<"context">,
  { host }: { host: string },
): Promise<string | null> {
  const { ledger, context } = deps;
  const place = placeOf(deps, event);
  if (place === null) return null;
  const reader = readerOf(event);
  // Its text goes to sessions that run side by side: what is not answered yet is no news there.
  const { project, cwd } = place;
  const written = await writtenAt(deps, host, place);
  const { text, ...claim } = await context.forSession({ project, cwd, written });
  const log = injectedAs("project", null, { text, ...claim });
  if (text !== "" && !ledger.had(reader, "start"))
    await isFirst(() => ledger.claim(reader, { ...claim, ...log, moments: ["start"] }));
  return text || null;
}

// Ranks all records at the first prompt only: at every prompt it would distract more than it helps.
async function atPrompt(
  deps: InjectionDeps,
  event: Event<"prompt">,
  { host, hasLeft, prompt }: PromptDelivery,
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  if (ledger.had(reader, "prompt")) return atLaterPrompt(deps, event, { host, hasLeft, prompt });
  const place = placeOf(deps, event);
  if (place === null) return null;
  const withTimeline = !ledger.had(reader, "start");
  const asked = (prompt ?? cleanPrompt(event.text)).text;
  const words = searchedPart(asked);
  const known = ledger.records(reader);
  const edited = editedPathsOf(deps, place);
  const written = await writtenAt(deps, host, place);
  const { text, ...claim } = await context.forPrompt({
    ...place,
    words,
    known,
    edited,
    written,
    withTimeline,
  });
  const moments = withTimeline ? (["prompt", "start"] as const) : (["prompt"] as const);
  const log = injectedAs("prompt", promptCause(asked), { text, ...claim });
  if (hasLeft() || !(await isFirst(() => ledger.claim(reader, { ...claim, ...log, moments })))) return null;
  return withTimeline ? withToldOf(deps, host, text) : text || null;
}

async function writtenAt({ writtenFor }: InjectionDeps, host: string, { cwd }: Place): Promise<Written> {
  return cwd === null ? new Set() : writtenFor(host, cwd);
}

// After a compaction the next prompt counts as the first again: the session has edited files by then.
function editedPathsOf({ editedPaths }: InjectionDeps, { exceptSession }: Place): string[] {
  return exceptSession === undefined ? [] : editedPaths(exceptSession, maxEditedPaths);
}

const maxEditedPaths = 5;

// Only unseen records of names in the prompt.
async function atLaterPrompt(
  deps: InjectionDeps,
  event: Event<"prompt">,
  { host, hasLeft, prompt }: PromptDelivery,
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  const place = placeOf(deps, event);
  if (place === null) return null;
  const asked = (prompt ?? cleanPrompt(event.text)).text;
  const words = searchedPart(asked);
  const { text, ...claim } = await context.forLaterPrompt({
    project: place.project,
    cwd: event.cwd,
    exceptSession: place.exceptSession,
    words,
    known: ledger.records(reader),
    written: await writtenAt(deps, host, place),
  });
  if (text === "" || hasLeft()) return null;
  const log = injectedAs("prompt", promptCause(asked), { text, ...claim });
  return (await isFirst(() => ledger.claim(reader, { ...claim, ...log, moments: [] }))) ? text : null;
}

// Two files read at the same time can share a record: the second claim fails and is retried without it.
const maxTries = 3;

// Without the session's own records: its agent remembers them.
async function beforeFile(
  deps: InjectionDeps,
  event: Event<"before_file">,
  { hasLeft }: { hasLeft: HasLeft },
): Promise<string | null> {
  const place = placeOf(deps, event);
  if (place === null) return null;
  const { kind } = readCall({ tool_name: event.toolName });
  const texts: (string | null)[] = [];
  for (const path of event.paths.slice(0, maxFiles)) {
    if (kind !== "read") texts.push(await beforeAction(deps, event, { hasLeft, place, action: { path } }));
    texts.push(await aboutFile(deps, event, { hasLeft, place, path }));
  }
  return joined(texts);
}

async function beforeCommand(
  deps: InjectionDeps,
  event: Event<"before_command">,
  { hasLeft, output }: { hasLeft: HasLeft; output?: string | undefined },
): Promise<string | null> {
  const place = placeOf(deps, event);
  if (place === null) return null;
  const action = { command: event.command, ...(output === undefined ? {} : { output }) };
  const texts = [await beforeAction(deps, event, { hasLeft, place, action })];
  for (const path of (event.files ?? []).slice(0, maxFiles)) {
    texts.push(await aboutFile(deps, event, { hasLeft, place, path }));
  }
  return joined(texts);
}

// A patch or a command can name many files. Each has a few lines, so the host's limit is far away.
const maxFiles = 3;

function joined(texts: readonly (string | null)[]): string | null {
  return texts.filter((text) => text !== null).join("\n") || null;
}

/** A rule that forbids it, or a known fix; once per session and record. */
async function beforeAction(
  deps: InjectionDeps,
  event: Event<"before_command" | "before_file">,
  { hasLeft, place, action }: { hasLeft: HasLeft; place: Place; action: Action },
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  const known = ledger.atAction(reader);
  const { project, exceptSession } = place;
  const found = await context.forAction({ project, cwd: event.cwd, exceptSession, action, known });
  if (found === null || hasLeft()) return null;
  const atAction = found.quoted.map(({ record }) => record);
  const shown = { text: found.text, records: atAction };
  const log =
    action.command === undefined
      ? injectedAs("file", causeOf(action.path ?? ""), shown)
      : injectedAs("command", causeOf(action.command), shown);
  const claim = { records: [], atAction, moments: [], ...log };
  return (await isFirst(() => ledger.claim(reader, claim))) ? found.text : null;
}

function causeOf(given: string): string {
  return excerpt(cleanText(given), maxCauseChars);
}

async function aboutFile(
  deps: InjectionDeps,
  event: Event<"before_file" | "before_command">,
  { hasLeft, place, path }: { hasLeft: HasLeft; place: Place; path: string },
): Promise<string | null> {
  const { ledger, context } = deps;
  const reader = readerOf(event);
  for (let tried = 0; tried < maxTries; tried++) {
    const { records: known, ...knownFile } = ledger.ofFile(reader, path);
    const found = await context.forFile({ ...place, path, known, knownFile });
    if (found === null || hasLeft()) return null;
    const { text, ...claim } = found;
    const log = injectedAs("file", causeOf(path), { text, ...claim });
    if (await isFirst(() => ledger.claim(reader, { ...claim, ...log, moments: [] }))) return text || null;
  }
  return null;
}

async function afterTool(
  deps: InjectionDeps,
  { about, ...event }: Event<"tool_use">,
  how: { hasLeft: HasLeft },
): Promise<string | null> {
  if (about === undefined) return null;
  const { command, paths } = about;
  if (command === null) return beforeFile(deps, { ...event, kind: "before_file", paths }, how);
  const output = event.failed ? readResult(event.toolResponse, true).text : undefined;
  return beforeCommand(deps, { ...event, kind: "before_command", command, files: paths }, { ...how, output });
}

const mostNoted = 50;

async function noteRead({ ledger }: InjectionDeps, event: Event<"tool_use">): Promise<void> {
  const given = readRecords({ tool_name: event.toolName, tool_input: event.toolInput });
  const items = given.slice(0, mostNoted).flatMap((text) => {
    const name = parseRecordName(text);
    return name === undefined ? [] : [fetchedItem(recordName(name))];
  });
  await ledger.note({ session: cleanKey(event.sessionId), reader: reportReader }, items);
}

// Only known files are reported as changed later.
async function afterWrite({ ledger, context }: InjectionDeps, event: Event<"tool_use">): Promise<void> {
  const reader = readerOf(event);
  for (const path of event.wrote ?? []) {
    if (!ledger.ofFile(reader, path).isFileKnown) continue;
    const content = await context.contentOf(path, event.cwd);
    if (content !== null) await ledger.know(reader, { path, content });
  }
}

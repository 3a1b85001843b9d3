// Applies host events in the worker, and returns the hook's output.

import { dirname, isAbsolute } from "node:path";
import { type Cleaner, cleanHere, isLarge, withCleaned } from "../capture/cleaner.ts";
import { type Exclusions, noExclusions } from "../capture/exclusions.ts";
import { createInTurn, type InTurn } from "../capture/in-turn.ts";
import type { CompleteInput, Intake } from "../capture/inputs.ts";
import { failOpen } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { UnreadEvent, UnreadReason } from "../core/records/unread-event.ts";
import { shorten } from "../core/shorten.ts";
import { shortPayload } from "../hosts/hook/spoolable-payload.ts";
import { hookCheckReply } from "../hosts/hook-check.ts";
import type { Host, HostAnswer, HostEvent } from "../hosts/host-event.ts";
import { type Clean, type CleanPrompt, cleanText } from "../privacy/clean.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { textField } from "../text/json-fields.ts";
import { atMost } from "./branch-checks.ts";
import { createInjections, type InjectionDeps, type Injections } from "./injections.ts";
import type { LastMessages } from "./last-message.ts";

interface HostEventDeps extends InjectionDeps {
  /** The host that sent the payload to the hook of host `name`; undefined for an unknown host. */
  hostOf(name: string, payload: JsonObject): Host | undefined;
  now(): number;
  /** Counts an event that cannot be read. */
  countUnread(unread: UnreadEvent): Promise<void>;
  lastMessages: Pick<LastMessages, "fill">;
  intake: Intake;
  /** Default: everything is recorded. */
  exclusions?: Exclusions;
  /** The notice for the start of a session, or null. */
  notice(sessionId: string): string | null;
  /** Default: cleaning in this thread. */
  cleaner?: Cleaner;
  /** Orders the events of a session over all ways they arrive. */
  inTurn?: InTurn;
  /** Resolves when the project of a directory can be recognized; undefined where it can be now. */
  settle?(cwd: string): Promise<void> | undefined;
  /** Reads what other devices wrote, and where the work tree is, before the context of a session start. Never throws. */
  beforeStart?(cwd: string | null): Promise<void>;
  /** Reads the memory files that agents write. Never throws. */
  readMemories?(cwd: string): Promise<void>;
  /** After the event is stored. Never throws. */
  afterWrite?(event: HostEvent, files: readonly string[]): Promise<void>;
}

/** How an event arrived. */
export interface Received {
  /** Its time, if it was spooled: then its reply is discarded. */
  at?: number | undefined;
  /** True once the client has left: unread context is not recorded as injected. */
  hasLeft?: (() => boolean) | undefined;
}

export interface HostEvents {
  /**
   * Applies the payload; resolves with the exact output of the hook after the commit. An event that cannot be read is
   * counted, and its output is empty.
   */
  receive(host: string, event: string, payload: Json, received?: Received): Promise<string>;
  /** Of each host, since the worker started. */
  activity(): HostActivity[];
}

export interface HostActivity {
  host: string;
  last_event_at_epoch: number;
  /** When the host last got context; null if it has not. */
  last_injection_at_epoch: number | null;
}

export function createHostEvents(given: HostEventDeps): HostEvents {
  const deps: AnswerDeps = {
    ...{ cleaner: cleanHere, ...given },
    injections: createInjections(given),
    cleared: new RecentMap(mostCleared),
  };
  const { inTurn = createInTurn() } = given;
  const count = (event: UnreadName, reason: UnreadReason, at = given.now()) =>
    failOpen("count an event", () => deps.countUnread({ ...cleanNames(event), reason, last_at_epoch: at }));
  const active = new Map<string, HostActivity>();
  const note = (host: string, injected: boolean): void => {
    const now = given.now();
    const before = active.get(host)?.last_injection_at_epoch ?? null;
    active.set(host, { host, last_event_at_epoch: now, last_injection_at_epoch: injected ? now : before });
  };
  return {
    activity: () => [...active.values()],
    async receive(hostName, eventName, payload, { at, hasLeft = () => false } = {}) {
      const host = isJsonObject(payload) ? deps.hostOf(hostName, payload) : undefined;
      if (!isJsonObject(payload) || host === undefined) {
        const reason = isJsonObject(payload) ? "unknown_host" : "not_an_object";
        await count({ host: hostName, last_event: eventName }, reason, at);
        return "";
      }
      const checked = hookCheckReply(payload);
      if (checked !== null) return at === undefined ? checked : "";
      const event = host.decode(eventName, payload);
      const settled = event.cwd === null ? undefined : deps.settle?.(event.cwd);
      if (settled !== undefined) await atMost(mostWaitMs, settled);
      if (isExcluded(deps.exclusions, event)) return at === undefined ? host.render(event, noReply) : "";
      const filled = deps.lastMessages.fill(host, event);
      const reason = unreadReasonOf(event);
      const name = event.kind === "other" ? event.name : eventName;
      if (reason !== null) await count({ host: host.name, last_event: name }, reason, at);
      const { asksForContext = false, keepsPromptsOnly = false } = host;
      const delivery = { host: host.name, asksForContext, keepsPromptsOnly, payload, at, hasLeft };
      const waits = filled instanceof Promise;
      const take = async () => answerTo(deps, waits ? await filled : filled, delivery);
      const answer = await inTurn(event.sessionId, waits || isLarge(payload), take);
      if (at !== undefined) return "";
      const output = host.render(event, answer);
      note(host.name, answer.context !== null && output !== "" && !hasLeft());
      return output;
    },
  };
}

// Of the deadline of a hook; in a large clone git answers later, and a later event knows.
const mostWaitMs = 300;

/** True for an event of which nothing is read, stored or injected. */
function isExcluded(exclusions: Exclusions = noExclusions, event: HostEvent): boolean {
  const { sessionId, project } = event;
  const cwd = event.cwd ?? undefined;
  if (exclusions.hasPlace({ claudeSessionId: sessionId, cwd, project })) return true;
  if (event.kind === "before_file") return exclusions.isNamedIn(event.paths, cwd);
  if (event.kind === "before_command") return exclusions.isNamedIn([event.command], cwd);
  if (event.kind !== "tool_use") return false;
  const { toolInput: input, toolResponse: response } = event;
  const file = isJsonObject(input) ? textField(input, "file_path", "filePath", "path") : "";
  if (isAbsolute(file) && exclusions.hasPlace({ cwd: dirname(file) })) return true;
  return exclusions.isNamedIn([input, response], cwd);
}

type UnreadName = Pick<UnreadEvent, "host" | "last_event">;

const maxUnreadName = 100;

function cleanNames({ host, last_event }: UnreadName): UnreadName {
  const clean = (name: string) => shorten(cleanText(name), maxUnreadName);
  return { host: clean(host), last_event: clean(last_event) };
}

function unreadReasonOf(event: HostEvent): UnreadReason | null {
  if (event.sessionId === "" && event.kind !== "setup") return "no_session";
  return (event.kind === "other" ? event.misread : undefined) ?? null;
}

interface Delivery {
  host: string;
  asksForContext: boolean;
  keepsPromptsOnly: boolean;
  payload: JsonObject;
  at: number | undefined;
  hasLeft: () => boolean;
}

const noReply: HostAnswer = { context: null, notice: null };

interface AnswerDeps extends HostEventDeps {
  injections: Injections;
  cleaner: Cleaner;
  /** By host and directory: the session that a clear command left last, which has no more events. */
  cleared: Map<string, CompleteInput>;
}

// Some clients send the end and no start.
const mostCleared = 100;

function placeKey({ cwd }: HostEvent, { host }: Delivery): string {
  return `${host} ${cwd}`;
}

async function answerTo(deps: AnswerDeps, event: HostEvent, delivery: Delivery): Promise<HostAnswer> {
  const { intake, injections } = deps;
  const base = baseOf(event, delivery);
  const read = textsOf(deps.cleaner, event, delivery.payload);
  const { eventKey, payload, prompt, message } = read instanceof Promise ? await read : read;
  const keyed = { ...base, eventKey };
  // A spooled event had no reply, so nothing was injected.
  const inject = async (ask: () => Promise<string | null>): Promise<HostAnswer> =>
    delivery.at === undefined ? { context: await ask(), notice: null } : noReply;
  switch (event.kind) {
    case "setup":
      return { context: null, notice: noticeFor(deps, event, delivery.at) };
    case "session_start": {
      const place = placeKey(event, delivery);
      const cleared = event.source === "clear" ? deps.cleared.get(place) : undefined;
      deps.cleared.delete(place);
      if (cleared !== undefined && cleared.claudeSessionId !== event.sessionId)
        await intake.complete(cleared);
      const { context } = await inject(async () => {
        await deps.beforeStart?.(event.cwd);
        return injections.atStart(event, { ...delivery, eventKey });
      });
      return { context, notice: noticeFor(deps, event, delivery.at) };
    }
    case "before_file":
      return inject(() => injections.beforeFile(event, delivery));
    case "before_command":
      return inject(() => injections.beforeCommand(event, delivery));
    case "prompt": {
      const { reason, promptNumber } = await intake.initSession({ ...keyed, prompt: event.text }, prompt);
      // OpenCode and OpenClaw report no start of a session.
      if (promptNumber === 1 && event.cwd !== null) await deps.readMemories?.(event.cwd);
      if (reason === "private" || delivery.asksForContext) return noReply;
      return inject(() => injections.atPrompt(event, { ...delivery, prompt }));
    }
    case "context":
      // It may overtake the prompt.
      return inject(async () => {
        if (event.cwd !== null) await deps.readMemories?.(event.cwd);
        return injections.ofProject(event, delivery);
      });
    case "before_compact":
      await intake.summarize({ ...keyed, goesOn: true });
      await injections.beforeCompact(event, delivery.at);
      return noReply;
    case "tool_use":
      await intake.observe({
        ...keyed,
        tool_name: event.toolName,
        tool_input: event.toolInput,
        tool_response: event.toolResponse,
        tool_failed: event.failed,
        agentId: event.agentId ?? undefined,
        agentType: event.agentType ?? undefined,
      });
      await deps.afterWrite?.(event, event.wrote ?? []);
      if (delivery.at === undefined) await injections.afterUse(event);
      return event.about === undefined ? noReply : inject(() => injections.afterTool(event, delivery));
    case "agent_message":
      return noReply;
    case "turn_end": {
      const end = { perPrompt: event.eventKey === null, last_assistant_message: event.lastAssistantMessage };
      await intake.summarize({ ...keyed, ...end }, message);
      return noReply;
    }
    case "session_end":
      // A clear command itself ends no session: the start of the one that follows does, or its idle time.
      if (event.reason === "clear") deps.cleared.set(placeKey(event, delivery), base);
      else await intake.complete(base);
      return noReply;
    case "other":
      await intake.keep({ ...keyed, name: event.name, payload: event.payload }, payload);
      return noReply;
    default:
      return event satisfies never;
  }
}

/** An event's key and its texts, cleaned once. */
interface Texts {
  eventKey: string;
  payload: Clean<JsonObject> | undefined;
  prompt: CleanPrompt | undefined;
  message: Clean<string> | undefined;
}

function textsOf(cleaner: Cleaner, event: HostEvent, payload: JsonObject): Texts | Promise<Texts> {
  const parts = [
    needsPayload(event) ? cleaner.payload(payload) : undefined,
    event.kind === "prompt" ? cleaner.prompt(event.text) : undefined,
    event.kind === "turn_end" ? cleaner.text(event.lastAssistantMessage) : undefined,
  ] as const;
  return withCleaned(parts, (payload, prompt, message) => {
    const eventKey = event.eventKey ?? (payload === undefined ? "" : keyOf(event.kind, payload));
    const isHalf = message !== undefined && event.eventKey !== null;
    return { eventKey: isHalf ? withMessage(eventKey, message) : eventKey, payload, prompt, message };
  });
}

// It is stored, or the key is made of it.
function needsPayload({ kind, eventKey }: HostEvent): boolean {
  if (kind === "other" || kind === "session_start") return true;
  return (
    eventKey === null &&
    kind !== "setup" &&
    kind !== "context" &&
    kind !== "agent_message" &&
    kind !== "before_file" &&
    kind !== "before_command" &&
    kind !== "session_end"
  );
}

// The stored form of the message, as in the spool: a stop that arrives both ways is one.
function withMessage(eventKey: string, message: Clean<string>): string {
  return `${eventKey}:${contentKey(shorten(message, maxLeafChars)).slice(0, 16)}`;
}

// A spooled event had no reply, so the user saw no notice.
function noticeFor(deps: HostEventDeps, event: HostEvent, at: number | undefined): string | null {
  return at === undefined ? deps.notice(event.sessionId) : null;
}

function baseOf(event: HostEvent, { host, at }: Delivery) {
  return {
    claudeSessionId: event.sessionId,
    cwd: event.cwd ?? undefined,
    project: event.project,
    host,
    at,
    promptKey: event.promptKey ?? undefined,
  };
}

// Without an id from the host, equal payloads are the same event. The payload is cleaned and cut as in the spool, so both
// ways give the same key.
function keyOf(kind: string, payload: Clean<JsonObject>): string {
  return contentKey(kind, JSON.stringify(shortPayload(payload)));
}

const maxLeafChars = 65_536;

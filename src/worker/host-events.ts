// What each event of a host agent does in the worker, and what the hook prints for it.
import { cleanKey } from "../capture/clean-input.ts";
import type { Intake } from "../capture/intake.ts";
import { createSaidOnce, type SaidOnce } from "../context/said-once.ts";
import { cleanJson, cleanText } from "../domain/clean.ts";
import { type JsonObject, mapStrings } from "../domain/json.ts";
import { shorten, shortenJson } from "../domain/shorten.ts";
import { failOpen } from "../errors.ts";
import { type Host, type HostAnswer, type HostEvent, replaysTranscript } from "../hosts/host-event.ts";
import { contentKey } from "../ids.ts";

/** What can be put into an agent's context. */
export interface ContextSource {
  /** For the start of a session; empty when there is nothing worth telling. */
  forSession(project: string): string;
  /** For the moment before a file is read or edited; null when nothing is known of it. */
  forFile(request: { project: string; path: string; exceptSession?: string }): string | null;
}

interface HostEventDeps {
  hostNamed(name: string): Host;
  intake: Intake;
  context: ContextSource;
  projectOf(cwd: string): string;
  /** The session of a host's session id, when it is known. */
  sessionOf(claudeSessionId: string): { project: string; sdk_session_id: string } | undefined;
  /** What the user must be told at the start of a session, or null. */
  notice(sessionId: string): string | null;
}

export interface HostEvents {
  /** Applies the payload; resolves with exactly what the hook prints, after what it stored is committed. */
  receive(host: string, event: string, payload: JsonObject, at?: number): Promise<string>;
}

export function createHostEvents(given: HostEventDeps): HostEvents {
  const deps = { ...given, saidOnce: createSaidOnce() };
  return {
    async receive(hostName, eventName, payload, at) {
      const host = deps.hostNamed(hostName);
      const event = host.decode(eventName, payload);
      const answer = await answerTo(deps, event, { host: host.name, payload, at });
      // A spooled event is history: nobody reads what would be said to it.
      if (at !== undefined) return "";
      return host.render(event, answer);
    },
  };
}

interface Delivery {
  host: string;
  payload: JsonObject;
  at: number | undefined;
}

const silence: HostAnswer = { context: null, notice: null };

interface AnswerDeps extends HostEventDeps {
  saidOnce: SaidOnce;
}

async function answerTo(deps: AnswerDeps, event: HostEvent, delivery: Delivery): Promise<HostAnswer> {
  const { intake } = deps;
  const base = baseOf(event, delivery);
  const keyed = () => ({ ...base, eventKey: event.eventKey ?? keyOf(event.kind, delivery.payload) });
  switch (event.kind) {
    case "setup":
      return { context: null, notice: noticeFor(deps, event, delivery.at) };
    case "session_start":
      if (!replaysTranscript(event.source)) deps.saidOnce.forget(event.sessionId);
      return {
        context: await sessionContext(deps, event, delivery.at),
        notice: noticeFor(deps, event, delivery.at),
      };
    case "before_file":
      // A spooled one was answered with nothing: nothing was said.
      return { context: delivery.at === undefined ? await fileContext(deps, event) : null, notice: null };
    case "prompt":
      await intake.initSession({ ...keyed(), prompt: event.text });
      return silence;
    case "tool_use":
      await intake.observe({
        ...keyed(),
        tool_name: event.toolName,
        tool_input: event.toolInput,
        tool_response: event.toolResponse,
        tool_failed: event.failed,
        agentId: event.agentId ?? undefined,
        agentType: event.agentType ?? undefined,
      });
      return silence;
    case "turn_end":
      await intake.summarize({ ...keyed(), last_assistant_message: event.lastAssistantMessage });
      return silence;
    case "session_end":
      // After a clear command the host goes on under a new id; the old session completes by idle time.
      if (event.reason !== "clear") await intake.complete(base);
      return silence;
    case "other":
      await intake.keep({ ...keyed(), name: event.name, payload: event.payload });
      return silence;
    default:
      return event satisfies never;
  }
}

// A spooled one was answered with nothing, so that the user was not told.
function noticeFor(deps: HostEventDeps, event: HostEvent, at: number | undefined): string | null {
  return at === undefined ? deps.notice(event.sessionId) : null;
}

function baseOf(event: HostEvent, { host, at }: Delivery) {
  return {
    claudeSessionId: event.sessionId,
    cwd: event.cwd ?? undefined,
    host,
    at,
    promptKey: event.promptKey ?? undefined,
  };
}

// A host that names no event is recognised by what it sent: the same payload again is the same event. It is looked at
// as the hook spools it, cleaned and cut, so that it is the same on both ways.
function keyOf(kind: string, payload: JsonObject): string {
  const texts = mapStrings(cleanJson(payload), (leaf) => shorten(leaf, maxLeafChars));
  return contentKey(kind, JSON.stringify(shortenJson(texts, maxPayloadChars)));
}

const maxLeafChars = 65_536;
const maxPayloadChars = 1_500_000;

// Context is a gift to the agent, never a condition: without it the session starts all the same. What it is looked up
// by is cleaned, as intake stored it.
function sessionContext(
  deps: HostEventDeps,
  event: HostEvent & { kind: "session_start" },
  at: number | undefined,
): Promise<string | null> {
  return orNull("context for a session", () => {
    if (event.cwd === null || replaysTranscript(event.source) || at !== undefined) return null;
    return deps.context.forSession(deps.projectOf(cleanText(event.cwd))) || null;
  });
}

// The session's own records are left out: its agent has them before its eyes.
function fileContext(deps: AnswerDeps, event: HostEvent & { kind: "before_file" }): Promise<string | null> {
  return orNull("context for a file", () => {
    const session = deps.sessionOf(cleanKey(event.sessionId));
    const project =
      session?.project ?? (event.cwd === null ? undefined : deps.projectOf(cleanText(event.cwd)));
    if (project === undefined) return null;
    const except = session === undefined ? {} : { exceptSession: session.sdk_session_id };
    const text = deps.context.forFile({ project, path: event.path, ...except });
    return deps.saidOnce.say(event, text);
  });
}

async function orNull(what: string, read: () => string | null): Promise<string | null> {
  return (await failOpen(what, read)) ?? null;
}

// What each event of a host agent does in the worker, and what the hook prints for it.

import { type Cleaner, cleanHere, isLarge, withCleaned } from "../capture/cleaner.ts";
import { createInTurn, type InTurn } from "../capture/in-turn.ts";
import type { Intake } from "../capture/inputs.ts";
import { contentKey } from "../core/ids.ts";
import { shorten, shortenJson } from "../core/shorten.ts";
import type { Host, HostAnswer, HostEvent } from "../hosts/host-event.ts";
import type { Clean, CleanPrompt } from "../privacy/clean.ts";
import { type JsonObject, mapStrings } from "../text/json.ts";
import { createInjections, type InjectionDeps, type Injections } from "./injections.ts";

interface HostEventDeps extends InjectionDeps {
  hostNamed(name: string): Host;
  intake: Intake;
  /** What the user must be told at the start of a session, or null. */
  notice(sessionId: string): string | null;
  /** Without one everything is cleaned in this process. */
  cleaner?: Cleaner;
  /** The turns of all events of a session, whichever way they come. */
  inTurn?: InTurn;
}

/** How an event came. */
export interface Received {
  /** When it happened, if it was spooled: nobody reads what would be said to it. */
  at?: number | undefined;
  /** True once nobody waits for the answer: what nobody reads is not said, so that it can be said again. */
  hasLeft?: (() => boolean) | undefined;
}

export interface HostEvents {
  /** Applies the payload; resolves with exactly what the hook prints, after what it stored is committed. */
  receive(host: string, event: string, payload: JsonObject, received?: Received): Promise<string>;
}

export function createHostEvents(given: HostEventDeps): HostEvents {
  const deps = { cleaner: cleanHere, ...given, injections: createInjections(given) };
  const { inTurn = createInTurn() } = given;
  return {
    async receive(hostName, eventName, payload, { at, hasLeft = () => false } = {}) {
      const host = deps.hostNamed(hostName);
      const event = host.decode(eventName, payload);
      const delivery = { host: host.name, payload, at, hasLeft };
      const take = () => answerTo(deps, event, delivery);
      const answer = await inTurn(event.sessionId, isLarge(payload), take);
      if (at !== undefined) return "";
      return host.render(event, answer);
    },
  };
}

interface Delivery {
  host: string;
  payload: JsonObject;
  at: number | undefined;
  hasLeft: () => boolean;
}

const silence: HostAnswer = { context: null, notice: null };

interface AnswerDeps extends HostEventDeps {
  injections: Injections;
  cleaner: Cleaner;
}

async function answerTo(deps: AnswerDeps, event: HostEvent, delivery: Delivery): Promise<HostAnswer> {
  const { intake, injections } = deps;
  const base = baseOf(event, delivery);
  const read = textsOf(deps.cleaner, event, delivery.payload);
  const { eventKey, payload, prompt, message } = read instanceof Promise ? await read : read;
  const keyed = { ...base, eventKey };
  switch (event.kind) {
    case "setup":
      return { context: null, notice: noticeFor(deps, event, delivery.at) };
    case "session_start": {
      const ask = () => injections.atStart(event, { ...delivery, eventKey });
      return { context: await unlessSpooled(delivery, ask), notice: noticeFor(deps, event, delivery.at) };
    }
    case "before_file":
      return {
        context: await unlessSpooled(delivery, () => injections.beforeFile(event, delivery)),
        notice: null,
      };
    case "before_command":
      return {
        context: await unlessSpooled(delivery, () => injections.beforeCommand(event, delivery)),
        notice: null,
      };
    case "prompt": {
      const { reason } = await intake.initSession({ ...keyed, prompt: event.text }, prompt);
      const ask = () => injections.atPrompt(event, { ...delivery, prompt });
      return { context: reason === "private" ? null : await unlessSpooled(delivery, ask), notice: null };
    }
    case "before_compact":
      await intake.summarize({ ...keyed, sameWithinMs: sameCompactionMs });
      await injections.beforeCompact(event, delivery.at);
      return silence;
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
      if (delivery.at === undefined) await injections.afterWrite(event);
      return silence;
    case "turn_end":
      await intake.summarize(
        {
          ...keyed,
          perPrompt: event.eventKey === null,
          last_assistant_message: event.lastAssistantMessage,
        },
        message,
      );
      return silence;
    case "session_end":
      // After a clear command the host goes on under a new id; the old session completes by idle time.
      if (event.reason !== "clear") await intake.complete(base);
      return silence;
    case "other":
      await intake.keep({ ...keyed, name: event.name, payload: event.payload }, payload);
      return silence;
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

// It is kept, or it is what the event is known by.
function needsPayload({ kind, eventKey }: HostEvent): boolean {
  if (kind === "other" || kind === "session_start") return true;
  return (
    eventKey === null &&
    kind !== "setup" &&
    kind !== "before_file" &&
    kind !== "before_command" &&
    kind !== "session_end"
  );
}

// The message as it is stored, which is also how it stands in the spool: a stop delivered on both ways is one.
function withMessage(eventKey: string, message: Clean<string>): string {
  return `${eventKey}:${contentKey(shorten(message, maxLeafChars)).slice(0, 16)}`;
}

// A spooled one was answered with nothing: nothing was said.
async function unlessSpooled({ at }: Delivery, ask: () => Promise<string | null>): Promise<string | null> {
  return at === undefined ? ask() : null;
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

// Between two compactions of one turn lies at least the making of a summary.
const sameCompactionMs = 10_000;

// A host that names no event is recognised by what it sent: the same payload again is the same event. It is looked at
// as the hook spools it, cleaned and cut, so that it is the same on both ways.
function keyOf(kind: string, payload: Clean<JsonObject>): string {
  const texts = mapStrings(payload, (leaf) => shorten(leaf, maxLeafChars));
  return contentKey(kind, JSON.stringify(shortenJson(texts, maxPayloadChars)));
}

const maxLeafChars = 65_536;
const maxPayloadChars = 1_500_000;

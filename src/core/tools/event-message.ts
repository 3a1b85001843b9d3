// Reads a stored event as a message for the generator: a tool use, a prompt, the end of a turn.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import type { PendingMessage } from "../records/messages.ts";
import { requestIn } from "./host-text.ts";
import { withoutOwnAnswers } from "./own-tools.ts";

export interface WrittenEvent {
  event_type: string;
  payload: Json;
}

/** The event as a message. Reads the field names of the hosts (`tool_name`) and of the API (`toolName`). */
export function messageOfEvent({ event_type, payload }: WrittenEvent): PendingMessage {
  const fields = isJsonObject(payload) ? payload : {};
  const text = (...names: string[]) => firstText(fields, names);
  const closing = closingOfEvent({ event_type, payload });
  if (closing !== undefined) {
    return {
      type: "summarize",
      ...optional("last_user_message", text("last_user_message", "lastUserMessage")),
      ...optional("last_assistant_message", closing === "" ? undefined : closing),
      ...optional("cwd", text("cwd")),
    };
  }
  const { tool_name, ...use } = toolUseIn(fields);
  const context = {
    ...optional("cwd", text("cwd")),
    ...optional("agent_id", text("agent_id", "agentId")),
    ...optional("agent_type", text("agent_type", "agentType")),
  };
  if (tool_name === undefined) {
    return { type: "observation", tool_name: event_type, tool_input: payload, ...context };
  }
  return {
    type: "observation",
    // An event that only reads memory gets no job. Other events are stored without our output.
    ...(withoutOwnAnswers({ tool_name, ...use }) ?? { tool_name }),
    ...(fields.tool_failed === true || fields.toolFailed === true ? { tool_failed: true } : {}),
    ...(fields.turn_only === true ? { turn_only: true } : {}),
    ...context,
  };
}

/** True for a tool use that only read our memory: it generates nothing. */
export function isOwnRead({ payload }: WrittenEvent): boolean {
  const { tool_name, ...use } = toolUseIn(isJsonObject(payload) ? payload : {});
  return tool_name !== undefined && withoutOwnAnswers({ tool_name, ...use }) === null;
}

function toolUseIn(fields: JsonObject): Pick<PendingMessage, "tool_name" | "tool_input" | "tool_response"> {
  return {
    ...optional("tool_name", firstText(fields, ["tool_name", "toolName", "tool"])),
    ...optional("tool_input", first(fields, ["tool_input", "toolInput", "input"])),
    ...optional("tool_response", first(fields, ["tool_response", "toolResponse", "tool_output", "output"])),
  };
}

/** Types of prompt events. The pattern works in JavaScript and PostgreSQL; ignore case. */
export const promptEventPattern = "^(user_?prompt(_?submit(ted)?)?|prompt)$";

const promptEvent = new RegExp(promptEventPattern, "i");

/** The text of a prompt event; undefined for another event. */
export function promptOfEvent({ event_type, payload }: WrittenEvent): string | undefined {
  if (!promptEvent.test(event_type)) return undefined;
  const text = isJsonObject(payload) ? firstText(payload, ["prompt", "text", "content"]) : payload;
  return typeof text === "string" ? requestIn(text) : "";
}

/**
 * Which events end a turn: a pattern as the one above. The end of a session ends a turn that the host never reported as
 * ended, so that what the user said in it is not lost.
 */
export const closingEventPattern =
  "^(stop|(turn|session)_?(end(ed)?|stop(ped)?|completed?)|(last_?)?(assistant|agent)_?(message|response|reply|answer)|summarize)$";

const closingEvent = new RegExp(closingEventPattern, "i");

export function isClosingEvent(event_type: string): boolean {
  return closingEvent.test(event_type);
}

/** The agent's last message in an event that ends a turn, empty when it has none; undefined for another event. */
export function closingOfEvent({ event_type, payload }: WrittenEvent): string | undefined {
  if (!isClosingEvent(event_type)) return undefined;
  // The text of a session end is its reason.
  if (/^session/i.test(event_type)) return "";
  if (typeof payload === "string") return payload;
  return isJsonObject(payload) ? (firstText(payload, closingFields) ?? "") : "";
}

const closingFields = [
  "last_assistant_message",
  "lastAssistantMessage",
  "message",
  "text",
  "content",
  "response",
];

function first(fields: JsonObject, names: readonly string[]): Json | undefined {
  return names.map((name) => fields[name]).find((value) => value !== undefined);
}

function firstText(fields: JsonObject, names: readonly string[]): string | undefined {
  const value = first(fields, names);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]?: V });
}

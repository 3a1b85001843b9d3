// Renders a message for a model: a head line of ours, and quoted parts of the tool's text.

import type { PendingMessage } from "../../core/records/messages.ts";
import type { Turn } from "../../core/records/turn.ts";
import { shorten, shortenJson, shortenPrompt } from "../../core/shorten.ts";
import { readResult } from "../../core/tools/tool-result.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { oneLine, plain } from "../../text/plain-text.ts";
import type { GenerationBatch } from "../provider.ts";

export interface QuotedMessage {
  /** One line without text that a tool's output controls. */
  head: string;
  parts: { name: string; text: string }[];
}

/** At most `maxChars` of each message; the directory only where it changes. */
export function messageTexts(
  { messages, turn }: Pick<GenerationBatch, "messages" | "turn">,
  maxChars: number,
): QuotedMessage[] {
  let directory: string | undefined;
  return messages.map(({ message }) => {
    const { cwd } = message;
    const moved = cwd !== undefined && cwd !== directory;
    if (moved) directory = cwd;
    const where = moved ? [{ name: "cwd", text: shorten(plain(cwd), 300) }] : [];
    const isEnd = message.type === "summarize" && turn !== undefined;
    const { head, parts } = isEnd ? summarizeText(turn) : toolText(message, maxChars);
    return { head, parts: [...where, ...parts] };
  });
}

// The user's words are shown whole, because a rule must be. The closing before shows what an answer such as "no, the other
// way" refers to.
function summarizeText({
  prompt,
  closing,
  previous,
}: Pick<Turn, "prompt" | "closing" | "previous">): QuotedMessage {
  return {
    head: "The end of the turn",
    parts: [
      { name: "before", text: shorten(plain(previous?.closing ?? ""), longestTexts.before) },
      { name: "user", text: shortenPrompt(plain(prompt), longestTexts.user) },
      { name: "agent", text: shorten(plain(closing), longestTexts.agent) },
    ],
  };
}

const longestTexts = { before: 400, user: 8_000, agent: 5_000 };

function toolText(message: PendingMessage, maxChars: number): QuotedMessage {
  const result = readResult(message.tool_response, message.tool_failed === true);
  const given = inputText(message.tool_input ?? null, maxChars);
  const input = shorten(given, Math.floor(maxChars * inputShare));
  const printed = result.text.trim() === "" ? leftover(result.fields, given) : result.text;
  return {
    head: [
      toolName(message.tool_name ?? ""),
      result.failed ? failure(result.exitCode) : "",
      message.agent_type === undefined && message.agent_id === undefined ? "" : "by a sub-agent",
    ]
      .filter((word) => word !== "")
      .join(", "),
    parts: [
      { name: "input", text: input },
      { name: "result", text: repeats(given, printed) ? "" : shorten(printed, maxChars - input.length) },
    ],
  };
}

function failure(exitCode: number | null): string {
  return exitCode === null || exitCode === 0 ? "failed" : `failed with exit code ${exitCode}`;
}

// Share of a message; the result gets the rest.
const inputShare = 0.5;

// Servers choose tool names: only a name may appear in the head line.
function toolName(name: string): string {
  return name.replace(/[^\w.:-]+/g, "_").slice(0, 80) || "tool";
}

// One argument per line, without the quotes and escapes of JSON.
function inputText(value: Json, maxChars: number): string {
  if (typeof value === "string") return plain(value);
  if (!isJsonObject(value)) return value === null ? "" : plain(JSON.stringify(shortenJson(value, maxChars)));
  return argumentLines(shortenJson(value, maxChars));
}

function argumentLines(value: Json): string {
  if (!isJsonObject(value)) return typeof value === "string" ? plain(value) : JSON.stringify(value);
  return Object.entries(value)
    .filter(([, argument]) => !saysNothing(argument))
    .map(([name, argument]) => `${oneLine(name, 60)}: ${shown(argument)}`)
    .join("\n");
}

function shown(argument: Json): string {
  return plain(typeof argument === "string" ? argument : JSON.stringify(argument));
}

// A host may repeat an argument, such as the content of a written file.
function repeats(input: string, printed: string): boolean {
  return printed.length > 200 && input.includes(printed);
}

// For a response without text, such as an edit's: its fields that the input does not contain.
function leftover(fields: JsonObject, input: string): string {
  const told = Object.entries(fields).filter(
    ([name, value]) =>
      !repeated.has(name) &&
      !saysNothing(value) &&
      !(typeof value === "string" && input.includes(plain(value))),
  );
  return told.length === 0 ? "" : argumentLines(shortenJson(Object.fromEntries(told), leftoverChars));
}

const leftoverChars = 4_000;

function saysNothing(value: Json): boolean {
  return value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);
}

// The file before an edit, and the edit as a patch.
const repeated = new Set([
  "originalFile",
  "structuredPatch",
  "gitDiff",
  "fileDiff",
  "diff",
  "patch",
  "type",
  "userModified",
]);

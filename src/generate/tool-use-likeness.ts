// What of two tool uses is alike: the same use, the same read, nothing printed, a list of a directory.

import type { ClaimedMessage } from "../core/records/messages.ts";
import { parseCommandLine } from "../core/tools/command-line.ts";
import { toolKey } from "../core/tools/tool-kind.ts";
import { readResult } from "../core/tools/tool-result.ts";
import { isJsonObject, type Json } from "../text/json.ts";
import { pathField, textField } from "../text/json-fields.ts";

/** A message with what is compared of it. */
export interface LookedAt {
  claimed: ClaimedMessage;
  /** Prompt and sub-agent that it belongs to: those of different ones are never one. */
  owner: string;
  /** The tool's name in lower case without separators. */
  tool: string;
  inputText: string;
  /** What the tool printed; head and tail of a long text. */
  text: string;
  /** Everything that came of it. */
  outcome: string;
  /** The file that it reads, or the empty string. */
  readPath: string;
  isChange: boolean;
  /** It printed nothing, and its input is short enough to be shown beside others. */
  isQuiet: boolean;
  isListing: boolean;
}

const shortInputChars = 300;

/** Reads a message once for all comparisons. */
export function lookAt(claimed: ClaimedMessage): LookedAt {
  const { message } = claimed;
  const input = message.tool_input ?? null;
  const tool = toolKey(message.tool_name ?? "");
  const inputText = typeof input === "string" ? input : JSON.stringify(input);
  const result = readResult(message.tool_response, message.tool_failed === true);
  const isChange = changingTool.test(tool);
  return {
    claimed,
    owner: `${message.prompt_number ?? ""} ${message.agent_id ?? ""}`,
    tool,
    inputText,
    text: result.text,
    // How long it took is different each time; of a text that is cut the middle would not be compared.
    outcome: result.cut
      ? JSON.stringify(message.tool_response)
      : `${result.failed} ${result.exitCode} ${result.text || JSON.stringify(message.tool_response ?? null)}`,
    readPath: readingTools.has(tool) && !result.failed && isJsonObject(input) ? pathField(input) : "",
    isChange,
    isQuiet:
      !(isChange || result.failed) &&
      inputText.length <= shortInputChars &&
      isNothing(message.tool_response ?? null),
    isListing: !result.failed && (listingTools.has(tool) || listsDirectories(input)),
  };
}

/** The same tool use with the same outcome. */
export function isRepeat(one: LookedAt, other: LookedAt): boolean {
  return one.tool === other.tool && one.inputText === other.inputText && one.outcome === other.outcome;
}

/** Of reads of one file, with `another` or without it, the one that shows all that the others do; undefined for none. */
export function widerRead(reads: readonly LookedAt[], another?: LookedAt): LookedAt | undefined {
  const all = another === undefined ? reads : [...reads, another];
  const path = all[0]?.readPath ?? "";
  if (path === "" || all.some(({ readPath }) => readPath !== path)) return undefined;
  const whole = all.map((read) => ({ read, text: contentOf(read) }));
  const widest = whole.reduce((best, next) => (next.text.length > best.text.length ? next : best));
  return whole.every(({ text }) => text !== "" && widest.text.includes(text)) ? widest.read : undefined;
}

// The content as the host gave it: `text` is only head and tail of a long one.
function contentOf({ claimed, text }: LookedAt): string {
  const response = claimed.message.tool_response ?? null;
  if (typeof response === "string") return response.trim();
  const file = isJsonObject(response) && isJsonObject(response.file ?? null) ? response.file : null;
  const content = isJsonObject(file) ? textField(file, "content") : "";
  return (content || text).trim();
}

// A response without a word and without a count: flags, names of modes and durations say nothing.
function isNothing(value: Json): boolean {
  if (typeof value === "string") return value.trim() === "" || foundNothing.test(value.trim());
  if (typeof value === "number") return value === 0;
  if (typeof value === "boolean" || value === null) return true;
  if (Array.isArray(value)) return value.every(isNothing);
  return Object.entries(value).every(([name, child]) => aboutTheCall.test(name) || isNothing(child));
}

function listsDirectories(input: Json): boolean {
  if (!isJsonObject(input)) return false;
  const command = textField(input, "command", "cmd");
  if (command === "" || command.length > shortInputChars) return false;
  const segments = parseCommandLine(command);
  return (
    segments.some(({ program }) => listers.has(program)) &&
    segments.every(
      ({ program, piped, writes }) => (piped ? filters : lookers).has(program) && writes.length === 0,
    )
  );
}

const readingTools = new Set(["read", "readfile", "view", "viewfile", "notebookread", "readnotebook"]);
const listingTools = new Set(["ls", "listdir", "listdirectory", "list"]);
const listers = new Set(["ls", "tree"]);
const lookers = new Set(["ls", "tree", "cd", "pwd", "echo"]);
const filters = new Set(["head", "tail", "grep", "sort", "wc"]);
const changingTool = /edit|write|patch|replace|insert|create|delete|rename|move/;
const foundNothing = /^no (?:matches|files|results|output)\b.{0,40}$/i;
const aboutTheCall = /^(?:mode|type|status|.*duration.*|.*ms)$/i;

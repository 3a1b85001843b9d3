// Compares tool uses: the same use, reads of one file, uses without output, directory listings.

import type { ClaimedMessage } from "../core/records/messages.ts";
import { parseCommandLine } from "../core/tools/command-line.ts";
import { toolKey } from "../core/tools/tool-kind.ts";
import { readResult } from "../core/tools/tool-result.ts";
import { isJsonObject, type Json } from "../text/json.ts";
import { pathField, textField } from "../text/json-fields.ts";

/** A message with the fields to compare. */
export interface Compared {
  claimed: ClaimedMessage;
  /** Its prompt and sub-agent: uses of different owners are never joined. */
  owner: string;
  /** The tool's name in lower case without separators. */
  tool: string;
  inputText: string;
  /** The output; head and tail of a long one. */
  text: string;
  /** The whole result. */
  outcome: string;
  /** The file it reads, or an empty string. */
  readPath: string;
  isChange: boolean;
  /** No output, and an input short enough to be shown beside others. */
  isEmpty: boolean;
  isListing: boolean;
}

const shortInputChars = 300;

/** Reads a message once for all comparisons. */
export function compared(claimed: ClaimedMessage): Compared {
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
    // Without the duration, which always differs. The middle of a cut text would not be compared.
    outcome: result.cut
      ? JSON.stringify(message.tool_response)
      : `${result.failed} ${result.exitCode} ${result.text || JSON.stringify(message.tool_response ?? null)}`,
    readPath: readingTools.has(tool) && !result.failed && isJsonObject(input) ? pathField(input) : "",
    isChange,
    isEmpty:
      !(isChange || result.failed) &&
      inputText.length <= shortInputChars &&
      isNothing(message.tool_response ?? null),
    isListing: !result.failed && (listingTools.has(tool) || listsDirectories(input)),
  };
}

/** The same tool use with the same outcome. */
export function isRepeat(one: Compared, other: Compared): boolean {
  return one.tool === other.tool && one.inputText === other.inputText && one.outcome === other.outcome;
}

/** The read that contains all others of one file, `another` included; undefined when there is none. */
export function widerRead(reads: readonly Compared[], another?: Compared): Compared | undefined {
  const all = another === undefined ? reads : [...reads, another];
  const path = all[0]?.readPath ?? "";
  if (path === "" || all.some(({ readPath }) => readPath !== path)) return undefined;
  const whole = all.map((read) => ({ read, text: contentOf(read) }));
  const widest = whole.reduce((best, next) => (next.text.length > best.text.length ? next : best));
  return whole.every(({ text }) => text !== "" && widest.text.includes(text)) ? widest.read : undefined;
}

// The whole content: `text` has only head and tail of a long one.
function contentOf({ claimed, text }: Compared): string {
  const response = claimed.message.tool_response ?? null;
  if (typeof response === "string") return response.trim();
  const file = isJsonObject(response) && isJsonObject(response.file ?? null) ? response.file : null;
  const content = isJsonObject(file) ? textField(file, "content") : "";
  return (content || text).trim();
}

// Flags, modes and durations are no output.
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
      ({ program, piped, writes }) => (piped ? filters : listingPrograms).has(program) && writes.length === 0,
    )
  );
}

const readingTools = new Set(["read", "readfile", "view", "viewfile", "notebookread", "readnotebook"]);
const listingTools = new Set(["ls", "listdir", "listdirectory", "list"]);
const listers = new Set(["ls", "tree"]);
const listingPrograms = new Set(["ls", "tree", "cd", "pwd", "echo"]);
const filters = new Set(["head", "tail", "grep", "sort", "wc"]);
const changingTool = /edit|write|patch|replace|insert|create|delete|rename|move/;
const foundNothing = /^no (?:matches|files|results|output)\b.{0,40}$/i;
const aboutTheCall = /^(?:mode|type|status|.*duration.*|.*ms)$/i;

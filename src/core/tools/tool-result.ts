// Reads a tool response of any host: the printed text, the exit code, whether it failed.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { numberField, objectField, parseObject, textField } from "../../text/json-fields.ts";
import { headAndTail, plain } from "../../text/plain-text.ts";

export interface ToolResult {
  /** The printed text, cleaned; head and tail of a long text. */
  text: string;
  /** The text of each stream; null when the host sends one text. */
  streams: { stdout: string; stderr: string } | null;
  /** The response when it was an object, else empty. */
  fields: JsonObject;
  /** The text is only head and tail. */
  cut: boolean;
  /** Null when the host does not send it. */
  exitCode: number | null;
  failed: boolean;
  /** The user stopped it. */
  interrupted: boolean;
}

/**
 * Reads a response of any host: object (Claude Code), text (Codex), `llmContent` (Gemini), `textResultForLlm`
 * (Copilot), `output` and `metadata` (OpenCode), `content[]` (OpenClaw, MCP), JSON as text (Cursor).
 */
export function readResult(response: Json | undefined, toolFailed: boolean): ToolResult {
  const unwrapped = typeof response === "string" ? (parseObject(response) ?? response) : (response ?? null);
  const fields = isJsonObject(unwrapped) ? unwrapped : {};
  const whole = textOf(unwrapped, 0);
  const printed = plain(headAndTail(whole, headChars, tailChars));
  const exitCode = exitCodeOf(fields) ?? exitCodeIn(printed);
  const interrupted = fields.interrupted === true || fields.is_interrupt === true;
  return {
    text: withoutEnvelope(printed),
    streams: streamsOf(unwrapped, printed),
    fields,
    cut: whole.length > headChars + tailChars,
    exitCode,
    failed:
      toolFailed ||
      interrupted ||
      (exitCode !== null && exitCode !== 0) ||
      saysFailed(fields) ||
      printed.startsWith("<tool_use_error>"),
    interrupted,
  };
}

// Test and build tools print their summary last, so the tail is longer.
const headChars = 5_000;
const tailChars = 7_000;

const textNames = [
  "output",
  "llmContent",
  "textResultForLlm",
  "text_result_for_llm",
  "text",
  "content",
  "result",
  "message",
  "error",
  "aggregated",
  "file",
  "results",
  "matches",
];

function textOf(value: Json, depth: number): string {
  if (typeof value === "string") return value;
  if (value === null || typeof value === "boolean" || depth > 4) return "";
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) {
    const parts = value.slice(0, 50).map((part) => textOf(part, depth + 1));
    return parts.filter((part) => part !== "").join("\n");
  }
  const { stdout, stderr } = value;
  if (typeof stdout === "string" || typeof stderr === "string") {
    return [textField(value, "stdout"), textField(value, "stderr")].filter((part) => part !== "").join("\n");
  }
  for (const name of textNames) {
    const child = value[name];
    const text = child === undefined ? "" : textOf(child, depth + 1);
    if (text !== "") return text;
  }
  return "";
}

function streamsOf(response: Json, printed: string): ToolResult["streams"] {
  const holder = isJsonObject(response) ? streamHolder(response) : undefined;
  if (holder !== undefined) {
    const shown = (name: string) =>
      withoutEnvelope(plain(headAndTail(textField(holder, name), headChars, tailChars)));
    return { stdout: shown("stdout"), stderr: shown("stderr") };
  }
  const labelled = labelledStreams.exec(printed);
  return labelled === null ? null : { stdout: streamText(labelled[1]), stderr: streamText(labelled[2]) };
}

function streamHolder(response: JsonObject): JsonObject | undefined {
  return [response, objectField(response, "output"), objectField(response, "result")].find(
    ({ stdout, stderr }) => typeof stdout === "string" && typeof stderr === "string",
  );
}

function streamText(text: string | undefined): string {
  const shown = withoutBlankEnds(text ?? "");
  return shown === "(empty)" ? "" : shown;
}

function exitCodeOf(fields: JsonObject): number | null {
  return (
    numberField(fields, "exitCode", "exit_code", "exit", "returnCode", "return_code") ??
    numberField(objectField(fields, "metadata"), "exit", "exitCode", "exit_code") ??
    numberField(objectField(fields, "details"), "exitCode", "exit_code")
  );
}

function exitCodeIn(text: string): number | null {
  const match = exitCodeHead.exec(text.slice(0, 400)) ?? exitCodeTail.exec(text.slice(-400));
  return match?.[1] === undefined ? null : Number(match[1]);
}

function saysFailed(fields: JsonObject): boolean {
  if (fields.is_error === true || fields.isError === true || fields.success === false) return true;
  const { error } = fields;
  if ((typeof error === "string" && error !== "") || isJsonObject(error)) return true;
  const status =
    textField(fields, "resultType", "result_type", "status") ||
    textField(objectField(fields, "details"), "status");
  return failedStatus.test(status);
}

// Text that hosts put around the output.
function withoutEnvelope(text: string): string {
  if (!envelopeHint.test(text)) return withoutBlankEnds(text);
  return withoutBlankEnds(
    text
      .replace(hostNote, "")
      .replace(codexHead, "")
      .replace(openCodeHead, "")
      .replace(envelopeTag, "")
      .replace(envelopeLine, "")
      .replace(outputLabel, ""),
  );
}

// Keeps leading blanks: ` M file` of git status means another state without them.
function withoutBlankEnds(text: string): string {
  return text.trimEnd().replace(blankStart, "");
}

const exitCodeHead = /^(?:Error: )?(?:Exit code:? |Process exited with code )(-?\d{1,3})\b/im;
const exitCodeTail =
  /(?:^Exit Code: |exited with exit code |completed with exit code |^Process exited with code |^Command exited with code )(-?\d{1,3})\b/im;
const blankStart = /^(?:[ \t]*\n)+/;
const failedStatus = /^(?:fail|failed|failure|error|errored|denied|rejected|timeout|timed_out|killed)$/i;

// Earlier versions of Gemini.
const labelledStreams =
  /^Stdout: ?([\s\S]*?)\nStderr: ?([\s\S]*?)(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): |$)/m;
const envelopeHint =
  /<(?:untrusted_context|system-reminder|tool_use_error|shellId|exited|path|error|persisted)|^(?:Exit code|Output:|Command: |Chunk ID|Process exited|Error: Exit)/im;
const hostNote = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g;
const codexHead =
  /^(?:Chunk ID: .*\n)?(?:Exit code: -?\d+\n)?(?:Wall time: .*\n)?(?:Process exited with code -?\d+\n)?(?:Original token count: .*\n)?(?:Total output lines: .*\n)?(?:Output:\n)?/;
const openCodeHead = /^<path>.*<\/path>\n<type>.*<\/type>\n/;
const envelopeTag =
  /<\/?(?:untrusted_context|tool_use_error|content|error)>|<(?:shellId: .*|exited with exit code -?\d+)>|\(End of file - total \d+ lines\)/g;
const envelopeLine =
  /^(?:(?:Error: )?Exit code:? -?\d+|Process Group PGID: .*|Background PIDs: .*|Signal: .*|Directory: \(.*|Command: .*|Error: \(none\)|Stderr: \(empty\)|Stdout: \(empty\))$\n?/gim;
const outputLabel = /^(?:Output|Stdout): ?/m;

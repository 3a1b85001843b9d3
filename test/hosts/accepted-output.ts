// The output that hosts accept from a hook, by event.
import { isJsonObject } from "../../src/text/json.ts";

interface Accepted {
  /** Fields at the top. */
  fields: readonly string[];
  /** Fields of `hookSpecificOutput`. */
  specific?: readonly string[];
}

const geminiFields = ["systemMessage", "suppressOutput", "continue", "stopReason", "decision", "reason"];
const geminiNested = [...geminiFields, "hookSpecificOutput"];
const named = ["hookEventName", "additionalContext"];
const codexFields = ["systemMessage", "hookSpecificOutput"];
const copilotFields = { fields: ["additionalContext"] };

const accepted: Readonly<Record<string, Readonly<Record<string, Accepted>>>> = {
  // bundle/docs/hooks/reference.md of @google/gemini-cli 0.61.0; `hookEventName` by its source.
  "gemini-cli": {
    SessionStart: { fields: geminiNested, specific: named },
    BeforeAgent: { fields: geminiNested, specific: named },
    AfterTool: { fields: geminiNested, specific: [...named, "tailToolCallRequest"] },
    AfterAgent: { fields: geminiNested, specific: ["hookEventName", "clearContext"] },
    PreCompress: { fields: geminiFields },
    SessionEnd: { fields: geminiFields },
  },
  // codex-rs/hooks/schema/generated/*.command.output.schema.json of openai/codex 0.169: only `hookEventName` is required.
  codex: {
    SessionStart: { fields: codexFields, specific: named },
    UserPromptSubmit: { fields: codexFields, specific: named },
    PreToolUse: { fields: codexFields, specific: named },
    PostToolUse: { fields: codexFields, specific: named },
    PreCompact: { fields: ["systemMessage"] },
    PostCompact: { fields: ["systemMessage"] },
    Stop: { fields: ["systemMessage"] },
  },
  // copilot-sdk/types.d.ts of @github/copilot 1.0.102 (`SessionStartHookOutput` and so on), without fields that change
  // the prompt, the result or the configuration.
  "copilot-cli": {
    SessionStart: copilotFields,
    UserPromptSubmit: copilotFields,
    PostToolUse: { fields: [...copilotFields.fields, "suppressOutput"] },
    PostToolUseFailure: copilotFields,
  },
  // cursor.com/docs/hooks; `additional_context` of beforeSubmitPrompt by public reports.
  cursor: {
    sessionStart: { fields: ["env", "additional_context"] },
    beforeSubmitPrompt: { fields: ["continue", "user_message", "additional_context"] },
    postToolUse: { fields: ["updated_mcp_tool_output", "additional_context"] },
    postToolUseFailure: { fields: ["additional_context"] },
  },
};

// They stop the agent, refuse something, change it, or start another turn.
const harmful = new Set([
  "continue",
  "stopReason",
  "decision",
  "reason",
  "suppressOutput",
  "tailToolCallRequest",
  "clearContext",
  "user_message",
  "env",
  "updated_mcp_tool_output",
]);

/** What the host refuses in the output of a hook, or would stop or change by it; empty for a good one. */
export function refusedOutput(host: string, event: string, text: string): string[] {
  if (text === "") return [];
  const output: unknown = JSON.parse(text);
  const { fields, specific = [] } = accepted[host]?.[event] ?? { fields: [] };
  if (!isJsonObject(output)) return ["not an object"];
  const { hookSpecificOutput: nested = {} } = output;
  if (!isJsonObject(nested)) return ["hookSpecificOutput is not an object"];
  const texts = { ...output, ...nested, hookSpecificOutput: "" };
  return [
    ...Object.keys(output).filter((name) => !fields.includes(name)),
    ...Object.keys(nested).filter((name) => !specific.includes(name)),
    ...Object.keys(texts).filter((name) => harmful.has(name)),
    ...Object.entries(texts).flatMap(([name, value]) =>
      typeof value === "string" ? [] : [`${name} is no text`],
    ),
    ...("hookEventName" in nested && nested.hookEventName !== event ? ["hookEventName"] : []),
  ];
}

// The output that Codex CLI accepts from a hook, by event.
import { isJsonObject } from "../../src/text/json.ts";

interface Accepted {
  fields: readonly string[];
  /** Fields of `hookSpecificOutput`. */
  specific?: readonly string[];
}

const universal = ["continue", "stopReason", "suppressOutput", "systemMessage"];
const named = ["hookEventName", "additionalContext"];

// From codex-rs/hooks/schema/generated/*.command.output.schema.json of openai/codex: all have additionalProperties false,
// and only `hookEventName` is required.
const accepted: Readonly<Record<string, Accepted>> = {
  SessionStart: { fields: [...universal, "hookSpecificOutput"], specific: named },
  UserPromptSubmit: { fields: [...universal, "decision", "reason", "hookSpecificOutput"], specific: named },
  PreToolUse: {
    fields: [...universal, "decision", "reason", "hookSpecificOutput"],
    specific: [...named, "permissionDecision", "permissionDecisionReason", "updatedInput"],
  },
  PostToolUse: {
    fields: [...universal, "decision", "reason", "hookSpecificOutput"],
    specific: [...named, "updatedMCPToolOutput", "updatedToolOutput"],
  },
  PreCompact: { fields: universal },
  PostCompact: { fields: universal },
  Stop: { fields: [...universal, "decision", "reason"] },
  SessionEnd: { fields: [] },
};

// They stop the turn, block the tool or change its input; others make the hook fail.
const harmful = new Set([
  "continue",
  "stopReason",
  "suppressOutput",
  "decision",
  "reason",
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "updatedMCPToolOutput",
  "updatedToolOutput",
]);

/** Why Codex refuses the output of a hook, or what it would stop or change by it; empty for a good one. */
export function refusedByCodex(event: string, text: string): string[] {
  if (text === "") return [];
  const output: unknown = JSON.parse(text);
  const { fields, specific = [] } = accepted[event] ?? { fields: [] };
  if (!isJsonObject(output)) return ["not an object"];
  const { hookSpecificOutput: nested = {} } = output;
  if (!isJsonObject(nested)) return ["hookSpecificOutput is not an object"];
  const isNested = "hookSpecificOutput" in output;
  const names = [...Object.keys(output), ...Object.keys(nested)];
  return [
    ...Object.keys(output).filter((name) => !fields.includes(name)),
    ...Object.keys(nested).filter((name) => !specific.includes(name)),
    ...names.filter((name) => harmful.has(name)),
    ...(isNested && nested.hookEventName !== event ? ["hookEventName"] : []),
    ...(typeof (nested.additionalContext ?? "") === "string" ? [] : ["additionalContext"]),
    ...(typeof (output.systemMessage ?? "") === "string" ? [] : ["systemMessage"]),
  ];
}

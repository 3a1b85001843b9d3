// Builds turns of tool uses as Claude Code reports them.
import type { PendingMessage } from "../../src/core/records/messages.ts";
import type { Turn } from "../../src/core/records/turn.ts";

export type Step = Omit<PendingMessage, "type">;

export function ok(command: string, stdout = "ok"): Step {
  return { tool_name: "Bash", tool_input: { command }, tool_response: { stdout, stderr: "" } };
}

export function bad(command: string, output = "Error: it broke"): Step {
  const tool_response = { error: `Exit code 1\n${output}` };
  return { tool_name: "Bash", tool_input: { command }, tool_response, tool_failed: true };
}

export function edit(file_path: string): Step {
  return {
    tool_name: "Edit",
    tool_input: { file_path, old_string: "a", new_string: "b" },
    tool_response: {},
  };
}

/** A turn with these tool uses; `before` are tool uses of earlier turns of the session. Ids count from 1. */
export function turnOf(steps: readonly Step[], closing = "Done.", before: readonly Step[] = []): Turn {
  const uses = [...before, ...steps].map((step, index) => ({
    id: index + 1,
    isOfTurn: index >= before.length,
    message: { type: "observation" as const, cwd: "/app", ...step },
  }));
  return { prompt: "go on", closing, previous: null, uses };
}

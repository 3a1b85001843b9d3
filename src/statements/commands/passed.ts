// Commands whose own exit status says that they passed.
import type { Segment } from "../../core/tools/command-line.ts";
import type { ToolResult } from "../../core/tools/tool-result.ts";
import type { JsonObject } from "../../text/json.ts";
import { textField } from "../../text/json-fields.ts";

/**
 * The simple commands that must have passed when their line did: the last one, and those that `&&` joins to it. Nothing is
 * known of a command before a pipe, `;` or `||`, in a loop or a condition, in the background, or after `!`.
 */
export function succeededIn<S extends Segment>(segments: readonly S[], command: string): S[] {
  const breaks = ({ background, fallback, start, end }: S, at: number): boolean => {
    const next = segments[at + 1];
    const after = command.slice(end, next?.start);
    return (
      background || fallback || command[start] === "!" || !(next === undefined ? lineEnd : joined).test(after)
    );
  };
  return segments.slice(segments.findLastIndex(breaks) + 1);
}

// `done`, `fi` and `&` behind a command make its status another one.
const lineEnd = /^[\s;)}]*(?:#.*)?$/;
const joined = /^[\s)}]*&&[\s({]*$/;

/** False where the host gives no exit status, or started the command and did not wait for its end. */
export function hasOwnStatus(input: JsonObject, result: ToolResult): boolean {
  if (result.failed || startedInBackground(input, result)) return false;
  // Claude Code sends the output of a command that passed with this field, and of one that failed as an error.
  return result.exitCode === 0 || (result.exitCode === null && result.fields.interrupted === false);
}

export function startedInBackground(input: JsonObject, { fields }: ToolResult): boolean {
  return input.run_in_background === true || textField(fields, "backgroundTaskId") !== "";
}

// The shell commands of a session with how they ended, and the edits between them.
import { parseCommandLine, type Segment } from "../domain/command-line.ts";
import { endsInError } from "../domain/error-lines.ts";
import { isJsonObject } from "../domain/json.ts";
import { pathField } from "../domain/json-fields.ts";
import { missingPrograms } from "../domain/missing-program.ts";
import { testResults } from "../domain/test-results.ts";
import { commandIn, isShellTool, toolKey } from "../domain/tool-command.ts";
import { readResult, type ToolResult } from "../domain/tool-result.ts";
import type { ToolUseOfTurn } from "../domain/turn.ts";
import { familiesOf } from "./command-family.ts";

/** `unknown` when nothing says how it ended: started in the background, refused or stopped by the user. */
export type Outcome = "passed" | "failed" | "unknown";

export interface Part extends Segment {
  families: string[];
}

export interface Run {
  /** Id of the raw event. */
  id: number;
  isOfTurn: boolean;
  /** Place among the tool uses. */
  at: number;
  command: string;
  /** Where it ran; the empty string when the host does not tell. */
  cwd: string;
  parts: Part[];
  outcome: Outcome;
  /** What it printed. */
  text: string;
  /** It ran tests. */
  isTest: boolean;
}

export interface Edit {
  /** Id of the raw event. */
  id: number;
  at: number;
  isOfTurn: boolean;
  path: string;
}

/** Commands and edits of the tool uses, in order. */
export function readRuns(uses: readonly ToolUseOfTurn[]): { runs: Run[]; edits: Edit[] } {
  const runs: Run[] = [];
  const edits: Edit[] = [];
  for (const [at, use] of uses.entries()) {
    const { tool_name: name = "", tool_input: input } = use.message;
    if (isShellTool(name)) {
      const run = readRun(use, at);
      if (run.parts.length > 0) runs.push(run);
      if (run.outcome === "passed") edits.push(...writtenBy(run));
    } else if (editing.test(toolKey(name)) && isJsonObject(input) && use.message.tool_failed !== true) {
      edits.push({ id: use.id, at, isOfTurn: use.isOfTurn, path: pathField(input) });
    }
  }
  return { runs, edits };
}

function readRun({ id, isOfTurn, message }: ToolUseOfTurn, at: number): Run {
  const command = commandIn(message.tool_input).text;
  const parts = parseCommandLine(command).map((part) => ({ ...part, families: familiesOf(part) }));
  const result = readResult(message.tool_response, message.tool_failed === true);
  const tests = testResults(result.text.split("\n"));
  const isStarted = isJsonObject(message.tool_input) && message.tool_input.run_in_background === true;
  const outcome = isStarted ? "unknown" : outcomeOf(parts, result, tests !== null && tests.failed > 0);
  const { text } = result;
  return { id, isOfTurn, at, command, cwd: message.cwd ?? "", parts, outcome, text, isTest: tests !== null };
}

function writtenBy({ id, at, isOfTurn, parts }: Run): Edit[] {
  return parts
    .flatMap(({ program, words, writes }) =>
      program === "sed" && words.some((word) => /^-\w*i/.test(word)) ? words.slice(-1) : sourcesIn(writes),
    )
    .map((path) => ({ id, at, isOfTurn, path }));
}

// Most files that a command writes are its output: logs, dumps, builds.
function sourcesIn(paths: readonly string[]): string[] {
  return paths.filter((path) => sourceFile.test(path));
}

function outcomeOf(parts: readonly Part[], result: ToolResult, testsFailed: boolean): Outcome {
  const last = parts.at(-1);
  if (last === undefined || result.interrupted || refused.test(result.text.slice(0, 400))) return "unknown";
  // grep and diff answer "no" with exit code 1.
  if (result.failed && result.exitCode === 1 && answering.has(last.program)) return "unknown";
  if (result.failed || missingPrograms(result, parts).length > 0) return "failed";
  if (last.background) return "unknown";
  // The exit code of a pipe is that of its last command.
  const isHidden = result.exitCode === null || last.piped || last.fallback;
  return isHidden && (testsFailed || endsInError(result.text.split("\n"))) ? "failed" : "passed";
}

const sourceFile =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|cc|cpp|h|cs|php|ex|exs|scala|sh|sql|vue|svelte)$/;
const editing = /edit|write|patch|replace|insert|create/;
const answering = new Set("grep egrep rg ag ack diff cmp test [ [[ pgrep which".split(" "));
const refused =
  /user doesn't want to|rejected by (?:the )?user|user (?:denied|declined|rejected)|requires? approval|permission to use|blocked by (?:a |the )?(?:hook|policy)|request interrupted/i;

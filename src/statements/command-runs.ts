// The shell commands of a session with how they ended, and the edits between them.

import type { ToolUseOfTurn } from "../core/records/turn.ts";
import { parseCommandLine, type Segment } from "../core/tools/command-line.ts";
import { endsInError } from "../core/tools/error-lines.ts";
import { missingPrograms } from "../core/tools/missing-program.ts";
import { type TestResults, testResults } from "../core/tools/test-results.ts";
import { commandIn, isShellTool, toolKey } from "../core/tools/tool-command.ts";
import { readResult, type ToolResult } from "../core/tools/tool-result.ts";
import { isJsonObject } from "../text/json.ts";
import { pathField } from "../text/json-fields.ts";
import { changedBySource } from "./code-changes.ts";
import { familiesOf } from "./command-family.ts";
import { type Loop, loopsOf, turnsOf } from "./loops.ts";

/** `unknown` when nothing says how it ended: started in the background, refused or stopped by the user. */
export type Outcome = "passed" | "failed" | "unknown";

export interface Part extends Segment {
  families: string[];
  /** Loops around it, or before it on its line. */
  loops: Loop[];
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
  /** Its exit code does not say how it ended; its output does. */
  isHidden: boolean;
  /** What the agent says that it is for. */
  purpose: string;
  /** What it printed. */
  text: string;
  /** It ran tests. */
  isTest: boolean;
  /** Tests of it failed. */
  testsFailed: boolean;
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

/** The simple commands of a line with their families; those of a loop have the families of all its turns. */
export function partsOf(command: string): Part[] {
  const segments = parseCommandLine(command);
  const loops = loopsOf(segments);
  return segments.map((segment) => ({
    ...segment,
    source: segment.source.replace(keyword, ""),
    families: familiesInLoop(segment, loops),
    loops,
  }));
}

function familiesInLoop(segment: Segment, loops: readonly Loop[]): string[] {
  const turns = segment.words.map((word) => turnsOf(word, loops));
  const count = Math.max(1, ...turns.map(({ length }) => length));
  const families = Array.from({ length: count }, (_, at) =>
    familiesOf({ ...segment, words: turns.map((values) => values[at] ?? values[0] ?? "") }),
  );
  return [...new Set(families.flat())];
}

function readRun({ id, isOfTurn, message }: ToolUseOfTurn, at: number): Run {
  const command = commandIn(message.tool_input).text;
  const parts = partsOf(command);
  const result = readResult(message.tool_response, message.tool_failed === true);
  const tests = testResults(result.text.split("\n"));
  const isStarted = isJsonObject(message.tool_input) && message.tool_input.run_in_background === true;
  const outcome = isStarted ? "unknown" : outcomeOf(parts, result, tests);
  const described = isJsonObject(message.tool_input) ? message.tool_input.description : "";
  return {
    id,
    isOfTurn,
    at,
    command,
    cwd: message.cwd ?? "",
    parts,
    outcome,
    isHidden: !result.failed,
    purpose: typeof described === "string" ? described : "",
    text: result.text,
    isTest: tests !== null,
    testsFailed: tests !== null && tests.failed > 0,
  };
}

// A line changes files before it goes on with them: they stand before it.
function writtenBy({ id, at, isOfTurn, parts }: Run): Edit[] {
  return parts
    .flatMap((part) => [...changedBySource(part), ...sourcesIn(part.writes)])
    .map((path) => ({ id, at: at - 0.5, isOfTurn, path }));
}

// Most files that a command writes are its output: logs, dumps, builds.
function sourcesIn(paths: readonly string[]): string[] {
  return paths.filter((path) => sourceFile.test(path));
}

function outcomeOf(parts: readonly Part[], result: ToolResult, tests: TestResults | null): Outcome {
  const last = parts.at(-1);
  if (last === undefined || result.interrupted || refused.test(result.text.slice(0, 400))) return "unknown";
  // grep and diff answer "no" with exit code 1.
  if (result.failed && result.exitCode === 1 && answering.has(last.program)) return "unknown";
  if (result.failed || missingPrograms(result, parts).length > 0) return "failed";
  if (last.background) return "unknown";
  // The exit code of a pipe is that of its last command.
  const isHidden = result.exitCode === null || last.piped || last.fallback;
  return isHidden && saysFailed(parts, result, tests) ? "failed" : "passed";
}

// Tests that fail, then pass on one line: the last count stands.
function saysFailed(parts: readonly Part[], { text }: ToolResult, tests: TestResults | null): boolean {
  if (tests !== null && tests.failed > 0) return true;
  const lines = text.split("\n");
  const families = new Set(parts.flatMap(({ program, families }) => (program === "git" ? [] : families)));
  const green = tests !== null && families.size === 1 ? lines.findLastIndex(saysPassed) : -1;
  return endsInError(lines.slice(green + 1));
}

function saysPassed(line: string): boolean {
  const tests = testResults([line]);
  return tests !== null && tests.passed > 0 && tests.failed === 0;
}

const keyword = /^(?:(?:do|then|else|if|while|until|!|\{)\s+)+/;
const sourceFile =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|cc|cpp|h|cs|php|ex|exs|scala|sh|sql|vue|svelte)$/;
const editing = /edit|write|patch|replace|insert|create/;
const answering = new Set("grep egrep rg ag ack diff cmp test [ [[ pgrep which".split(" "));
const refused =
  /user doesn't want to|rejected by (?:the )?user|user (?:denied|declined|rejected)|requires? approval|permission to use|blocked by (?:a |the )?(?:hook|policy)|request interrupted/i;

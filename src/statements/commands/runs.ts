// Reads the shell commands of a session, their outcomes, and the edits between them.
import type { ToolUseOfTurn } from "../../core/records/turn.ts";
import { editedPaths } from "../../core/tools/apply-patch.ts";
import { filesWritten } from "../../core/tools/command-files.ts";
import {
  answersWithExitCode,
  type CommandKind,
  commandKind,
  gitVerb,
} from "../../core/tools/command-kind.ts";
import { parseCommandLine, type Segment } from "../../core/tools/command-line.ts";
import { endsInError } from "../../core/tools/error-lines.ts";
import { missingPrograms } from "../../core/tools/missing-program.ts";
import { type TestResults, testResults } from "../../core/tools/test-results.ts";
import { commandIn, isShellTool, readCall } from "../../core/tools/tool-kind.ts";
import { readResult, type ToolResult } from "../../core/tools/tool-result.ts";
import { isJsonObject } from "../../text/json.ts";
import { textField } from "../../text/json-fields.ts";
import { familiesOf, type Launched, launchedBy } from "./families.ts";
import { startedInBackground } from "./passed.ts";
import { preparingPrograms, viewingVerbs } from "./vocabulary.ts";

/** `unknown`: started in the background, refused or stopped by the user. */
type Outcome = "passed" | "failed" | "unknown";

export interface Part extends Segment, Launched {
  kind: CommandKind;
  families: string[];
}

export interface Run {
  /** Id of the raw event. */
  id: number;
  isOfTurn: boolean;
  /** Position among the tool uses. */
  at: number;
  command: string;
  /** Working directory; empty when the host does not send it. */
  cwd: string;
  /** Label of another project than the session's; else empty. */
  project: string;
  parts: Part[];
  outcome: Outcome;
  /** The exit code is missing or not its own; only the output shows the outcome. */
  isHidden: boolean;
  /** The agent's description of the command. */
  purpose: string;
  text: string;
  isTest: boolean;
  testsFailed: boolean;
}

export interface Edit {
  at: number;
  path: string;
}

interface Runs {
  runs: readonly Run[];
  edits: readonly Edit[];
}

// The rules of a turn ask for its runs one after the other. Reading them is a fifth of what they cost.
const known = new WeakMap<readonly ToolUseOfTurn[], Runs>();

/** Commands and edits of the tool uses, in order; `uses` must not change afterwards. */
export function readRuns(uses: readonly ToolUseOfTurn[]): Runs {
  const before = known.get(uses);
  if (before !== undefined) return before;
  const read = runsIn(uses);
  known.set(uses, read);
  return read;
}

function runsIn(uses: readonly ToolUseOfTurn[]): Runs {
  const runs: Run[] = [];
  const edits: Edit[] = [];
  for (const [at, use] of uses.entries()) {
    const call = readCall(use.message);
    if (isShellTool(use.message.tool_name ?? "")) {
      const run = readRun(use, at);
      if (run.parts.length > 0) runs.push(run);
      // Files written by a line count as edited before it.
      if (run.outcome === "passed")
        edits.push(...run.parts.flatMap(changed).map((path) => ({ at: at - 0.5, path })));
    } else if (call.kind === "edit" && use.message.tool_failed !== true) {
      const paths = editedPaths(call);
      edits.push(...(paths.length === 0 ? [""] : paths).map((path) => ({ at, path })));
    }
  }
  return { runs, edits };
}

// Most files that a redirection writes are its output: logs, dumps, builds.
function changed(part: Part): string[] {
  if (restoresFiles(part)) return part.words.slice(-1);
  const files = part.program === "rm" ? [] : filesWritten(part);
  return [...files, ...part.writes].filter((path) => sourceFile.test(path));
}

/** The simple commands of a line with their families. */
export function partsOf(command: string): Part[] {
  return parseCommandLine(command).map((segment) => {
    const { launched, name } = launchedBy(segment.words);
    return {
      ...{ ...segment, launched, name },
      kind: commandKind({ ...segment, words: launched, program: name }),
      source: segment.source.replace(keyword, ""),
      families: [...new Set(familiesOf(segment))],
    };
  });
}

function readRun({ id, isOfTurn, message }: ToolUseOfTurn, at: number): Run {
  const command = commandIn(message.tool_input).text;
  const parts = partsOf(command);
  const result = readResult(message.tool_response, message.tool_failed === true);
  const tests = testResults(result.text.split("\n"));
  const input = isJsonObject(message.tool_input) ? message.tool_input : {};
  return {
    ...{ id, isOfTurn, at, command, parts },
    ...{ cwd: message.cwd ?? "", project: message.project ?? "" },
    outcome: startedInBackground(input, result) ? "unknown" : outcomeOf(parts, result, tests),
    isHidden: !result.failed,
    purpose: textField(input, "description"),
    text: result.text,
    isTest: tests !== null,
    testsFailed: tests !== null && tests.failed > 0,
  };
}

function outcomeOf(parts: readonly Part[], result: ToolResult, tests: TestResults | null): Outcome {
  const last = parts.at(-1);
  if (last === undefined || result.interrupted || refused.test(result.text.slice(0, 400))) return "unknown";
  if (result.failed && result.exitCode === 1 && answersWithExitCode(last)) return "unknown";
  if (result.failed || missingPrograms(result, parts).length > 0) return "failed";
  if (last.background) return "unknown";
  // The exit code of a pipe is that of its last command.
  const isHidden = result.exitCode === null || last.piped || last.fallback;
  return isHidden && saysFailed(parts, result, tests) ? "failed" : "passed";
}

// When tests fail and then pass on one line, the last count counts.
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
const refused =
  /user doesn't want to|rejected by (?:the )?user|user (?:denied|declined|rejected)|requires? approval|permission to use|blocked by (?:a |the )?(?:hook|policy)|request interrupted/i;

/** True for a command that restores files: earlier commands ran on other code. */
function restoresFiles({ program, words }: Segment): boolean {
  const rest = words.slice(1);
  if (program === "mv" || program === "cp")
    return backup.test(rest.find((word) => !word.startsWith("-")) ?? "");
  if (program === "patch") return rest.some((word) => /^(?:-\w*R|--reverse)$/.test(word));
  if (program !== "git") return false;
  const verb = gitVerb(words);
  if (verb === "checkout") return rest.includes("--") || rest.some((word) => path.test(word));
  if (verb === "stash") return rest.includes("pop") || rest.includes("apply");
  if (verb === "reset") return rest.includes("--hard");
  return verb === "restore" ? !rest.includes("--staged") : verb === "revert" || verb === "apply";
}

const backup = /^\/tmp\/|^\/var\/tmp\/|\.(?:bak|orig|backup|old|save)$/;
// `release/1.2.x` is a branch.
const path = /^\.$|\/$|(?<!\.\d+)\.[a-z]\w{0,5}$/i;

/** True for a command with effects: not one that only reads, probes a server or works on git history. */
export function hasEffects({ families, program, writes }: Part): boolean {
  if (writes.some(isSettings) || preparingPrograms.has(program)) return true;
  const verbs = families[0]?.split(" ").slice(1);
  if (verbs === undefined || idle.test(program)) return false;
  return !viewingVerbs.has(verbs.at(-1) ?? "") && !(program === "git" && bookkeeping.test(verbs[0] ?? ""));
}

/** True for a command that prepares the shell: `module load gcc`, `. venv/bin/activate`. */
export function setsUpShell({ families, program }: Part): boolean {
  return (
    /^(?:source|\.|ulimit|umask|eval)$/.test(program) || families.some((family) => setupVerb.test(family))
  );
}

/** True for a file that configures tools, not for code. */
export function isSettings(path: string): boolean {
  return settingsFile.test(path);
}

const idle = /^(?:curl|wget|http)$/;
const bookkeeping = /^(?:add|commit|stash|switch|checkout|restore|reset)$/;
const setupVerb = / (?:load|use|activate|shell|login|unlock)$/;
const settingsFile =
  /\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties|xml|gradle|kts|lock|hcl|tfvars|nix|rc)$|(?:^|[\\/])(?:\.[\w.-]+|Dockerfile[\w.-]*|Makefile|justfile|Gemfile|Procfile)$/i;

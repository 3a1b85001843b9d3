// Reads the shell commands of a session, their outcomes, and the edits between them.

import type { ToolUseOfTurn } from "../../core/records/turn.ts";
import { editedPaths } from "../../core/tools/apply-patch.ts";
import {
  answersWithExitCode,
  type CommandKind,
  commandKind,
  editsInPlace,
  gitVerb,
} from "../../core/tools/command-kind.ts";
import { parseCommandLine, type Segment } from "../../core/tools/command-line.ts";
import { endsInError } from "../../core/tools/error-lines.ts";
import { missingPrograms } from "../../core/tools/missing-program.ts";
import { type TestResults, testResults } from "../../core/tools/test-results.ts";
import { commandIn, isShellTool, readCall, toolKey } from "../../core/tools/tool-kind.ts";
import { readResult, type ToolResult } from "../../core/tools/tool-result.ts";
import { isJsonObject } from "../../text/json.ts";
import { textField } from "../../text/json-fields.ts";
import { familiesOf, type Launched, launchedBy } from "./families.ts";
import { preparingPrograms, viewingVerbs } from "./vocabulary.ts";

/** `unknown`: started in the background, refused or stopped by the user. */
type Outcome = "passed" | "failed" | "unknown";

export interface Part extends Segment, Launched {
  kind: CommandKind;
  families: string[];
  /** Loops around it, or before it on its line. */
  loops: Loop[];
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
  /** Id of the raw event. */
  id: number;
  at: number;
  isOfTurn: boolean;
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
    const { tool_name: name = "", tool_input: input } = use.message;
    if (isShellTool(name)) {
      const run = readRun(use, at);
      if (run.parts.length > 0) runs.push(run);
      if (run.outcome === "passed") edits.push(...writtenBy(run));
    } else if (editing.test(toolKey(name)) && isJsonObject(input) && use.message.tool_failed !== true) {
      const paths = editedPaths(readCall(use.message));
      const { id, isOfTurn } = use;
      edits.push(...(paths.length === 0 ? [""] : paths).map((path) => ({ id, at, isOfTurn, path })));
    }
  }
  return { runs, edits };
}

/** The simple commands of a line with their families; a command in a loop has the families of all its rounds. */
export function partsOf(command: string): Part[] {
  const segments = parseCommandLine(command);
  const loops = segments.flatMap(loopsOf);
  return segments.map((segment) => {
    const rounds = segment.words.map((word) => roundsOf(word, loops));
    const count = Math.max(1, ...rounds.map(({ length }) => length));
    const families = Array.from({ length: count }, (_, at) =>
      familiesOf({ ...segment, words: rounds.map((values) => values[at] ?? values[0] ?? "") }),
    );
    return {
      ...segment,
      ...launchedIn(segment),
      source: segment.source.replace(keyword, ""),
      families: [...new Set(families.flat())],
      loops,
    };
  });
}

function launchedIn(segment: Segment): Launched & Pick<Part, "kind"> {
  const { launched, name } = launchedBy(segment.words);
  return { launched, name, kind: commandKind({ ...segment, words: launched, program: name }) };
}

function readRun({ id, isOfTurn, message }: ToolUseOfTurn, at: number): Run {
  const command = commandIn(message.tool_input).text;
  const parts = partsOf(command);
  const result = readResult(message.tool_response, message.tool_failed === true);
  const tests = testResults(result.text.split("\n"));
  const input = isJsonObject(message.tool_input) ? message.tool_input : {};
  const outcome = input.run_in_background === true ? "unknown" : outcomeOf(parts, result, tests);
  return {
    id,
    isOfTurn,
    at,
    command,
    cwd: message.cwd ?? "",
    parts,
    outcome,
    isHidden: !result.failed,
    purpose: textField(input, "description"),
    text: result.text,
    isTest: tests !== null,
    testsFailed: tests !== null && tests.failed > 0,
  };
}

// Files written by a line count as edited before it.
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
const editing = /edit|write|patch|replace|insert|create/;
const refused =
  /user doesn't want to|rejected by (?:the )?user|user (?:denied|declined|rejected)|requires? approval|permission to use|blocked by (?:a |the )?(?:hook|policy)|request interrupted/i;

interface Loop {
  name: string;
  /** Empty when unknown: `while read f`. */
  values: readonly string[];
}

// `for f in a b; do cmd $f; done` is read as `cmd a` and `cmd b`.
function loopsOf({ words, program }: Segment): Loop[] {
  const [, name = "", ...rest] = words;
  if (program === "for" && rest[0] === "in") return [{ name, values: rest.slice(1, 1 + maxValues) }];
  if (program !== "read") return [];
  return words.slice(1).flatMap((word) => (/^\w+$/.test(word) ? [{ name: word, values: [] }] : []));
}

/** The text once for each value of its loop variable; the text itself when it has none. */
export function roundsOf(text: string, loops: readonly Loop[]): string[] {
  const loop = loops.find(({ name, values }) => values.length > 0 && refersTo(name).test(text));
  return loop === undefined
    ? [text]
    : loop.values.map((value) => text.replace(refersTo(loop.name), () => value));
}

/** The command with its loop variables replaced by the words of another command that they may stand for. */
export function unrolled(part: Part, other: Part): Part {
  if (part.loops.length === 0) return part;
  const unroll = (words: readonly string[], others: readonly string[]): string[] =>
    words.map((word) => {
      const pattern = patternOf(word, part.loops);
      return others.find((one) => !words.includes(one) && pattern?.test(one)) ?? word;
    });
  const words = unroll(part.words, other.words);
  const environment = unroll(part.environment, other.environment);
  return { ...part, ...launchedBy(words), words, environment };
}

/** True when both are the same, or one is a glob of the other: `a.js` and `*.js`. */
export function matchesGlob(one: string, other: string): boolean {
  if (one === other) return true;
  const [glob, name] = one.includes("*") ? [one, other] : [other, one];
  return glob.includes("*") && new RegExp(`^${globSource(glob)}$`).test(name);
}

function patternOf(word: string, loops: readonly Loop[]): RegExp | null {
  const loop = loops.find(({ name }) => refersTo(name).test(word));
  if (loop === undefined) return null;
  const values = loop.values.length === 0 ? "[^-].*" : `(?:${loop.values.map(globSource).join("|")})`;
  return new RegExp(`^${word.split(refersTo(loop.name)).map(escaped).join(values)}$`);
}

function globSource(value: string): string {
  return value.split("*").map(escaped).join("[^/]*");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function refersTo(name: string): RegExp {
  return new RegExp(`\\$(?:\\{${name}\\}|${name}(?!\\w))`);
}

const maxValues = 8;

/** Paths that `sed -i`, `git checkout`, `patch` and the like change; empty strings where they are not named. */
function changedBySource(segment: Segment): string[] {
  const { program, words } = segment;
  if ((program === "sed" || program === "perl") && editsInPlace(segment)) return words.slice(-1);
  if (program === "patch" || program === "ed") return [""];
  if (program !== "git") return [];
  return restoresFiles(segment) ? pathsIn(words) : isStash(segment) ? [""] : [];
}

/** True for a command that restores files: earlier commands ran on other code. */
export function restoresFiles({ program, words }: Segment): boolean {
  if (program === "mv" || program === "cp") return backup.test(words.slice(1).find(isOperand) ?? "");
  if (program === "patch") return words.some((word) => /^(?:-\w*R|--reverse)$/.test(word));
  if (program !== "git") return false;
  const verb = gitVerb(words);
  const rest = words.slice(words.indexOf(verb) + 1);
  if (verb === "checkout") return rest.includes("--") || rest.some((word) => path.test(word));
  if (verb === "stash") return rest[0] === "pop" || rest[0] === "apply";
  if (verb === "reset") return rest.includes("--hard");
  return verb === "restore" ? !rest.includes("--staged") : verb === "revert" || verb === "apply";
}

function isStash({ words }: Segment): boolean {
  return gitVerb(words) === "stash" && !words.some((word) => /^(?:list|show|drop)$/.test(word));
}

// A branch has a slash too, but no file ending.
function pathsIn(words: readonly string[]): string[] {
  const paths = words.filter((word) => isOperand(word) && path.test(word));
  return paths.length > 0 ? paths : [""];
}

function isOperand(word: string): boolean {
  return !word.startsWith("-");
}

const backup = /^\/tmp\/|^\/var\/tmp\/|\.(?:bak|orig|backup|old|save)$/;
// `release/1.2.x` is a branch.
const path = /^\.$|\/$|(?<!\.\d+)\.[a-z]\w{0,5}$/i;

/** True for a command with effects: not one that only reads, probes a server or works on git history. */
export function hasEffects({ families, program, writes }: Part): boolean {
  if (writes.some(isSettings) || preparingPrograms.has(program)) return true;
  const verbs = families[0]?.split(" ").slice(1);
  if (verbs === undefined || idle.has(program)) return false;
  return !viewingVerbs.has(verbs.at(-1) ?? "") && !(program === "git" && bookkeeping.has(verbs[0] ?? ""));
}

/** True for a command that prepares the shell: `module load gcc`, `. venv/bin/activate`. */
export function setsUpShell({ families, program }: Part): boolean {
  if (shellSetup.has(program)) return true;
  return families.some((family) => setupVerbs.has(family.split(" ").at(-1) ?? ""));
}

/** True for a file that configures tools, not for code. */
export function isSettings(path: string): boolean {
  return settingsFile.test(path);
}

const idle = new Set(["curl", "wget", "http"]);
const bookkeeping = new Set(["add", "commit", "stash", "switch", "checkout", "restore", "reset"]);
const shellSetup = new Set(["source", ".", "ulimit", "umask", "eval"]);
const setupVerbs = new Set(["load", "use", "activate", "shell", "login", "unlock"]);
const settingsFile =
  /\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties|xml|gradle|kts|lock|hcl|tfvars|nix|rc)$|(?:^|[\\/])(?:\.[\w.-]+|Dockerfile[\w.-]*|Makefile|justfile|Gemfile|Procfile)$/i;

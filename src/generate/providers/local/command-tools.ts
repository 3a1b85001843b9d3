// Shell commands: what ran, how it ended, and what of its output is worth keeping.

import {
  type CommandKind,
  commandKind,
  isRoutineCommand,
  mainSegment,
} from "../../../domain/command-kind.ts";
import { parseCommandLine, type Segment } from "../../../domain/command-line.ts";
import { type ErrorLines, endsInError, errorLines } from "../../../domain/error-lines.ts";
import { textField } from "../../../domain/json-fields.ts";
import { missingPrograms } from "../../../domain/missing-program.ts";
import { clip, counted, firstLine, oneLine } from "../../../domain/plain-text.ts";
import { type TestResults, testResults } from "../../../domain/test-results.ts";
import { commandIn } from "../../../domain/tool-command.ts";
import { commandFiles } from "./command-files.ts";
import type { CommandRun, CommandWords } from "./command-run.ts";
import { describeChanges } from "./edit-tools.ts";
import type { Finding, ToolUse } from "./finding.ts";
import { describeGit, describeGitHub } from "./git-commands.ts";
import { describeInstall } from "./install-commands.ts";
import { describeNetwork, isLoopback } from "./network-commands.ts";
import { parseApplyPatch } from "./patch.ts";
import {
  describeLooks,
  describeShellRead,
  describeShellSearch,
  describeShellWrite,
} from "./shell-file-commands.ts";

/** What a shell tool did. */
export function describeCommand(use: ToolUse): Finding {
  const command = commandIn(use.input).text || use.inputText;
  if (command.includes("*** Begin Patch")) {
    const changes = parseApplyPatch(command.slice(command.indexOf("*** Begin Patch")));
    if (changes.length > 0 && !use.result.failed) return describeChanges(use, changes);
  }
  const run = commandRun(use, command);
  return finding(run, wordsFor(run));
}

function commandRun(given: ToolUse, command: string): CommandRun {
  const { use, segments, missing } = withoutReplaced(given, parseCommandLine(command));
  const main = mainSegment(segments) ?? emptySegment;
  const kind = commandKind(main);
  const looks = kind === "read" || kind === "search";
  const failed =
    missing !== null || (!isQuietEnd(use, main) && (use.result.failed || reportsFailure(use, looks)));
  const { streams, text } = use.result;
  // What a look found stands on stdout; what it could not open is no match.
  const shown = looks && !failed && streams !== null ? withText(use, streams.stdout) : use;
  const lines = shown.result.text.split("\n");
  const tests = looks ? null : testResults(lines);
  const errors = failed || kind === "check" || kind === "test" ? errorLines(text.split("\n")) : noErrors;
  const label = labelOf(main, command);
  return { use: shown, command, main, segments, kind, label, lines, errors, tests, failed, missing };
}

// For hosts that do not tell the exit code. What a look prints is data; only what it says on stderr is its own.
function reportsFailure({ result: { exitCode, streams, text } }: ToolUse, looks: boolean): boolean {
  if (exitCode !== null) return false;
  if (!looks) return endsInError(text.split("\n"));
  return streams !== null && streams.stdout === "" && endsInError(streams.stderr.split("\n"));
}

interface Found {
  use: ToolUse;
  segments: readonly Segment[];
  /** The line that names a program that was not found and had no other in its place. */
  missing: string | null;
}

// Behind a program that was not found, `|| other` ran in its place: the line is about that one.
function withoutReplaced(use: ToolUse, segments: readonly Segment[]): Found {
  const missing = missingPrograms(use.result, segments);
  if (missing.length === 0) return { use, segments, missing: null };
  const isMissing = ({ program }: Segment) => missing.some((one) => one.program === program);
  const replaced = segments.filter((segment, at) => isMissing(segment) && isFallback(segments[at + 1]));
  const isReplaced = (program: string) => replaced.some((segment) => segment.program === program);
  const left = missing.find(({ program }) => !isReplaced(program));
  if (left !== undefined) return { use, segments, missing: left.line };
  const said = new Set(missing.map(({ line }) => line));
  const without = (text: string) =>
    text
      .split("\n")
      .filter((line) => !said.has(line.trim()))
      .join("\n");
  const { result } = use;
  const streams = result.streams && { ...result.streams, stdout: without(result.streams.stdout) };
  return {
    use: { ...use, result: { ...result, text: without(result.text), streams } },
    segments: segments.filter((segment) => !replaced.includes(segment)),
    missing: null,
  };
}

// `|| true` and `|| echo none` do nothing in the place of what failed.
function isFallback(segment: Segment | undefined): boolean {
  return segment?.fallback === true && commandKind(segment) !== "trivial";
}

function withText(use: ToolUse, text: string): ToolUse {
  return { ...use, result: { ...use.result, text } };
}

// grep, diff and test answer "no" with exit code 1; that is an answer, not a failure.
function isQuietEnd({ result }: ToolUse, { program, words }: Segment): boolean {
  if (result.exitCode !== 1) return false;
  return (
    answersWithOne.has(program) ||
    (program === "git" && (words.includes("grep") || words.includes("--exit-code")))
  );
}

function labelOf(main: Segment, command: string): string {
  if (loops.has(main.program) || main.text === "") return oneLine(command, 60) || "A running command";
  // The words of an inline script would be `python3 -`.
  const isScript = main.words.length === 1 || (main.words.length === 2 && main.words[1] === "-");
  if (isScript && command.includes("<<")) return `a ${main.program} script`;
  return oneLine(main.text, 60);
}

function wordsFor(run: CommandRun): CommandWords {
  if (run.tests !== null) return testWords(run, run.tests);
  if (run.failed) return failureWords(run);
  const looks = run.segments.filter((segment) => !segment.piped && lookKinds.has(commandKind(segment)));
  if (looks.length > 1 && lookKinds.has(run.kind)) return describeLooks(run, looks);
  switch (run.kind) {
    case "commit":
    case "git":
      return describeGit(run);
    case "install":
      return describeInstall(run);
    case "network":
      return describeNetwork(run);
    case "search":
      return describeShellSearch(run);
    case "read":
      return run.main.program === "git" ? describeGit(run) : describeShellRead(run);
    case "write":
      return describeShellWrite(run);
    case "check":
      return checkWords(run);
    case "test":
    case "run":
    case "trivial":
      return run.main.program === "gh" ? describeGitHub(run) : runWords(run);
  }
}

function testWords({ label, use, errors }: CommandRun, tests: TestResults): CommandWords {
  const { passed, failed, skipped, failing, unit } = tests;
  const total = passed + failed;
  // That none passed was said by nobody where only failures were counted.
  const outcomes =
    passed === 0 && failed > 0
      ? `${counted(failed, unit)} failed`
      : `${counted(passed, unit)} passed, ${failed} failed`;
  const counts = `${outcomes}${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  const code = exitWords(use);
  // A passing count with a failing end is a failure all the same: coverage, an unhandled error, a later command.
  const broken = failed > 0 || use.result.failed;
  const outcome =
    failed > 0
      ? `failed: ${passed === 0 ? counted(failed, unit) : `${failed} of ${counted(total, unit)}`}${code === "" ? "" : `, ${code}`}`
      : "";
  const ended = `passed ${counted(passed, unit)} but ended with ${code || "an error"}`;
  const title = `${label} ${outcome || (broken ? ended : `passed: ${counted(passed, unit)}`)}`;
  return {
    title,
    concepts: [broken ? "problem-solution" : "what-changed"],
    facts: [
      `Tests: ${counts}`,
      ...failing.map((name) => `Failing test: ${name}`),
      ...(broken ? errorFacts(errors) : []),
    ],
    evidence: [
      counts,
      failing.length > 0 ? `Failing: ${failing.slice(0, 4).join("; ")}` : "",
      broken && errors.first !== null ? `First error: ${errors.first}` : "",
    ],
  };
}

function failureWords(run: CommandRun): CommandWords {
  const { use, label, errors, lines, main, kind, missing } = run;
  const reason = missing ?? errors.first ?? lastWords(lines);
  const isFailed = use.result.failed || missing !== null;
  const how = use.result.interrupted ? "was interrupted" : isFailed ? "failed" : "reports an error";
  const code = exitWords(use);
  const isOutside = kind === "network" && !main.words.some(isLoopback);
  const quoted = reason === "" || isOutside ? "" : `: ${reason}`;
  const title = `${label} ${how}${code === "" ? "" : ` with ${code}`}${quoted}`;
  const isGotcha =
    missing !== null ||
    /rejected|command not found|EADDRINUSE|conflict|ENOSPC|permission denied/i.test(reason);
  return {
    title,
    concepts: isGotcha ? ["problem-solution", "gotcha"] : ["problem-solution"],
    facts: [...errorFacts(errors), errors.first === null && reason !== "" ? `Output: ${reason}` : ""],
    evidence: [
      reason === "" ? "It printed nothing" : `It said: ${reason}`,
      errors.location === null ? "" : `The place is ${errors.location}`,
      errors.count > 1 ? `${errors.count} lines report an error` : "",
    ],
    ...(isOutside ? { provenance: "web" } : {}),
  };
}

function checkWords({ label, errors, lines }: CommandRun): CommandWords {
  const summary = lines.findLast((line) => line.length < 300 && checkSummary.test(line))?.trim() ?? "";
  if (errors.first !== null) {
    const count = errors.count === 1 ? "an error" : `${errors.count} errors`;
    return {
      title: `${label} reports ${count}: ${errors.first}`,
      concepts: ["problem-solution"],
      facts: [...errorFacts(errors), summary],
      evidence: [`First error: ${errors.first}`, summary],
    };
  }
  return {
    title: `${label} passed${summary === "" ? "" : `: ${summary}`}`,
    concepts: ["what-changed"],
    facts: [summary],
    evidence: [summary === "" ? "It reported nothing wrong" : `It said: ${summary}`],
  };
}

function runWords({ label, main, use, lines, segments, kind }: CommandRun): CommandWords {
  const background =
    segments.some((segment) => segment.background) || textField(use.result.fields, "backgroundTaskId") !== "";
  if (background || use.input.run_in_background === true)
    return { title: `Started ${label} in the background`, evidence: [firstLine(use.result.text)] };
  const spoken = lines.filter((line) => line.trim() !== "" && !tableHead.test(line));
  const first = spoken[0]?.trim() ?? "";
  const telling =
    spoken.length > 1 ? spoken.find((line) => line.length < 240 && resultLine.test(line)) : undefined;
  const shown = kind === "trivial" && main.program === "echo" ? "" : (telling?.trim() ?? first);
  return {
    title: `${main.text === "" ? label : `Ran ${label}`}${shown === "" ? "" : `: ${shown}`}`,
    facts: spoken.length > 0 && spoken.length <= 3 ? spoken : keptLines(spoken),
    evidence: [
      spoken.length === 0 ? "It printed nothing" : `It printed ${counted(spoken.length, "line")}`,
      spoken.length > 1 ? `The last: ${spoken.at(-1)?.trim() ?? ""}` : first,
    ],
  };
}

// Of a long output: what speaks of a result, else how it ends.
function keptLines(lines: readonly string[]): string[] {
  const telling = lines.filter((line) => line.length < 240 && resultLine.test(line)).slice(-3);
  return telling.length > 0 ? telling : lines.slice(-1);
}

function lastWords(lines: readonly string[]): string {
  for (let index = lines.length - 1; index >= Math.max(0, lines.length - 30); index -= 1) {
    const line = lines[index]?.trim() ?? "";
    if (/[A-Za-z]{2}/.test(line)) return clip(line, 300);
  }
  return "";
}

function errorFacts({ first, location, others }: ErrorLines): string[] {
  if (first === null) return [];
  const place =
    location !== null && !first.includes(location.slice(0, location.lastIndexOf(":")))
      ? ` (${location})`
      : "";
  return [
    `First error: ${clip(first, 290 - place.length)}${place}`,
    ...others.map((other) => `Error: ${other}`),
  ];
}

function exitWords({ result }: ToolUse): string {
  return result.exitCode === null || result.exitCode === 0 ? "" : `exit code ${result.exitCode}`;
}

function finding(run: CommandRun, words: CommandWords): Finding {
  const { use, command, segments, errors } = run;
  const files = commandFiles(segments);
  const purpose = textField(use.input, "description", "justification");
  const whole = oneLine(command, 400);
  const evidence = (words.evidence ?? []).filter((line) => line !== "");
  if (evidence.length === 0)
    evidence.push(use.result.text === "" ? "It printed nothing" : firstLine(use.result.text));
  const code = exitWords(use);
  return {
    obs_type: words.obs_type ?? "discovery",
    title: words.title,
    subtitle:
      purpose !== "" ? purpose : whole === run.label || whole === "" ? (errors.location ?? "") : `$ ${whole}`,
    summary: words.title,
    narrative: [
      whole === ""
        ? "Looked at the output of a command that was started before"
        : purpose === ""
          ? `Command: \`${whole}\``
          : `${purpose}: \`${whole}\``,
      ...evidence,
      code === "" ? "" : `It ended with ${code}`,
    ],
    facts: [
      code === "" ? "" : `${code.charAt(0).toUpperCase()}${code.slice(1)} of ${run.label}`,
      ...(words.facts ?? []),
    ],
    concepts: words.concepts ?? ["how-it-works"],
    filesRead: [...files.read, ...(words.filesRead ?? [])],
    filesModified: run.failed ? [] : [...files.written, ...(words.filesModified ?? [])],
    provenance: words.provenance ?? "command",
    routine: !run.failed && run.tests === null && isRoutineCommand(run.main, run.kind),
  };
}

const noErrors: ErrorLines = { first: null, location: null, others: [], count: 0 };
const emptySegment: Segment = {
  words: [],
  program: "",
  text: "",
  environment: [],
  source: "",
  start: 0,
  end: 0,
  writes: [],
  piped: false,
  directory: "",
  background: false,
  fallback: false,
};
const lookKinds = new Set<CommandKind>(["read", "search"]);
// The column names of docker, kubectl, ps and lsof.
const tableHead = /^[A-Z][A-Z0-9%/()]*(?:[\s-]+[A-Z0-9%/()]+)+\s*$/;
const loops = new Set(["for", "while", "until", "case", "function"]);
const answersWithOne = new Set([
  "grep",
  "egrep",
  "rg",
  "ag",
  "ack",
  "diff",
  "test",
  "[",
  "[[",
  "pgrep",
  "which",
]);
const checkSummary =
  /\b(?:\d+ (?:problems?|errors?|warnings?|issues?|files?)\b|built in|compiled (?:successfully|in)|Finished|Build succeeded|BUILD SUCCESS|no issues|Checked \d+|All (?:checks|files|matched)|done in)/i;
const resultLine =
  /\b(?:listening|ready|created|started|success|complete|total|result|version|http:\/\/|https:\/\/|warning|deprecat|server)/i;

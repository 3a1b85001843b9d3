// Reads a run of a shell command: its main command, errors, tests, and whether it failed.

import {
  answersWithExitCode,
  type CommandKind,
  commandKind,
  mainSegment,
} from "../../../core/tools/command-kind.ts";
import { parseCommandLine, type Segment } from "../../../core/tools/command-line.ts";
import { type ErrorLines, endsInError, errorLines } from "../../../core/tools/error-lines.ts";
import { missingPrograms } from "../../../core/tools/missing-program.ts";
import { type TestResults, testResults } from "../../../core/tools/test-results.ts";
import { oneLine } from "../../../text/plain-text.ts";
import type { ToolUse } from "./finding.ts";

export interface CommandRun {
  use: ToolUse;
  command: string;
  /** The main command; empty when the use only reads the output of an earlier one. */
  main: Pick<Segment, "program" | "words" | "text">;
  segments: readonly Segment[];
  kind: CommandKind;
  /** `main` as shown in a title. */
  label: string;
  lines: readonly string[];
  errors: ErrorLines;
  tests: TestResults | null;
  /** It failed, or its output can only come from a failure. */
  failed: boolean;
  /** What the shell said of a program that it did not find; null when it found all. */
  missing: string | null;
}

export function readCommandRun(given: ToolUse, command: string): CommandRun {
  const { use, segments, missing } = withoutReplaced(given, parseCommandLine(command));
  const segment = mainSegment(segments);
  const main = segment ?? { program: "", words: [], text: "" };
  const kind = segment === undefined ? "trivial" : commandKind(segment);
  const reads = kind === "read" || kind === "search";
  const { streams, text } = use.result;
  const saysNo = use.result.exitCode === 1 && answersWithExitCode(main);
  const isFailed = missing !== null || (!saysNo && (use.result.failed || reportsFailure(use, reads)));
  const errors = isFailed || kind === "check" || kind === "test" ? errorLines(text.split("\n")) : noErrors;
  const failed = isFailed || (kind === "check" && errors.first !== null);
  // Matches are on stdout; files that could not be opened are not matches.
  const shown = reads && !failed && streams !== null ? withText(use, streams.stdout) : use;
  const lines = shown.result.text.split("\n");
  const tests = reads ? null : testResults(lines);
  const label = labelOf(main, command);
  return { use: shown, command, main, segments, kind, label, lines, errors, tests, failed, missing };
}

// For hosts that do not send the exit code. The stdout of a reading command is data, its stderr is its own.
function reportsFailure({ result: { exitCode, streams, text } }: ToolUse, reads: boolean): boolean {
  if (exitCode !== null) return false;
  if (!reads) return endsInError(text.split("\n"));
  return streams !== null && streams.stdout === "" && endsInError(streams.stderr.split("\n"));
}

// When a program was not found and `|| other` ran instead, describes the other one.
function withoutReplaced(
  use: ToolUse,
  segments: readonly Segment[],
): Pick<CommandRun, "use" | "segments" | "missing"> {
  const missing = missingPrograms(use.result, segments);
  if (missing.length === 0) return { use, segments, missing: null };
  const replaced = segments.filter(
    ({ program }, at) => missing.some((one) => one.program === program) && isFallback(segments[at + 1]),
  );
  const left = missing.find(({ program }) => !replaced.some((segment) => segment.program === program));
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

// `|| true` and `|| echo none` replace nothing.
function isFallback(segment: Segment | undefined): boolean {
  return segment?.fallback === true && commandKind(segment) !== "trivial";
}

function withText(use: ToolUse, text: string): ToolUse {
  return { ...use, result: { ...use.result, text } };
}

function labelOf({ program, words, text }: CommandRun["main"], command: string): string {
  if (loops.has(program) || text === "") return oneLine(command, 60) || "A running command";
  // The words of an inline script would be `python3 -`.
  const isScript = words.length === 1 || (words.length === 2 && words[1] === "-");
  if (isScript && command.includes("<<")) return `a ${program} script`;
  return oneLine(text, 60);
}

const noErrors: ErrorLines = { first: null, location: null, others: [], count: 0 };
const loops = new Set(["for", "while", "until", "case", "function"]);

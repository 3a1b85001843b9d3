// Shell commands: what ran, how it ended, and which lines of its output are worth keeping.
import { isRoutineCommand } from "../../../core/tools/command-kind.ts";
import type { ErrorLines } from "../../../core/tools/error-lines.ts";
import type { TestResults } from "../../../core/tools/test-results.ts";
import { commandIn } from "../../../core/tools/tool-command.ts";
import { textField } from "../../../text/json-fields.ts";
import { clip, counted, firstLine, oneLine } from "../../../text/plain-text.ts";
import { commandFiles } from "./command-files.ts";
import { type CommandRun, readCommandRun } from "./command-run.ts";
import { gitWords, installWords, isFromOutside, lookWords, writeWords } from "./command-words.ts";
import { describeChanges } from "./edit-tools.ts";
import type { Finding, ToolUse } from "./finding.ts";
import { parseApplyPatch } from "./patch.ts";

/** What a describer of one family of commands says; the rest is the same for all. */
export type CommandWords = Omit<Finding, "provenance"> & Partial<Pick<Finding, "provenance">>;

/** What a shell tool did. */
export function describeCommand(use: ToolUse): Finding {
  const command = commandIn(use.input).text || use.inputText;
  const patchAt = command.indexOf("*** Begin Patch");
  const changes = patchAt < 0 || use.result.failed ? [] : parseApplyPatch(command.slice(patchAt));
  if (changes.length > 0) return describeChanges(use, changes);
  const run = readCommandRun(use, command);
  return findingOf(run, wordsFor(run));
}

function wordsFor(run: CommandRun): CommandWords {
  if (run.tests !== null) return testWords(run, run.tests);
  if (run.failed) return failureWords(run);
  switch (run.kind) {
    case "commit":
    case "git":
      return gitWords(run);
    case "install":
      return installWords(run);
    case "search":
    case "read":
      return lookWords(run);
    case "write":
      return writeWords(run);
    case "check":
      return checkWords(run);
    case "test":
    case "network":
    case "run":
    case "trivial":
      return runWords(run);
  }
}

function testWords({ label, use, errors }: CommandRun, tests: TestResults): CommandWords {
  const { passed, failed, skipped, failing, unit } = tests;
  const code = exitWords(use);
  // A passing count with a failing end is a failure all the same: coverage, an unhandled error, a later command.
  const broken = failed > 0 || use.result.failed;
  // Where only failures were counted, it is unknown how many passed.
  const counts =
    passed === 0 && failed > 0
      ? `${counted(failed, unit)} failed`
      : `${counted(passed, unit)} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  const lost = passed === 0 ? counted(failed, unit) : `${failed} of ${counted(passed + failed, unit)}`;
  const outcome =
    failed > 0
      ? `failed: ${lost}${code === "" ? "" : `, ${code}`}`
      : broken
        ? `passed ${counted(passed, unit)} but ended with ${code || "an error"}`
        : `passed: ${counted(passed, unit)}`;
  return {
    title: `${label} ${outcome}`,
    concepts: [broken ? "problem-solution" : "what-changed"],
    facts: [
      `Tests: ${counts}`,
      ...failing.map((name) => `Failing test: ${name}`),
      ...(broken ? errorFacts(errors) : []),
    ],
  };
}

function failureWords(run: CommandRun): CommandWords {
  const { use, label, errors, lines, missing } = run;
  const reason = missing ?? errors.first ?? lastWords(lines);
  const isFailed = use.result.failed || missing !== null;
  const how = use.result.interrupted ? "was interrupted" : isFailed ? "failed" : "reports an error";
  const code = exitWords(use);
  const quoted = reason === "" || isFromOutside(run) ? "" : `: ${reason}`;
  return {
    title: `${label} ${how}${code === "" ? "" : ` with ${code}`}${quoted}`,
    concepts: missing !== null || trap.test(reason) ? ["problem-solution", "gotcha"] : ["problem-solution"],
    facts: [...errorFacts(errors), errors.first === null && reason !== "" ? `Output: ${reason}` : ""],
    narrative: [errors.location === null ? "" : `The place is ${errors.location}`],
  };
}

function checkWords({ label, lines }: CommandRun): CommandWords {
  const result = lines.findLast((line) => line.length < 300 && checkResult.test(line))?.trim() ?? "";
  return {
    title: `${label} passed${result === "" ? "" : `: ${result}`}`,
    concepts: ["what-changed"],
    facts: [result],
  };
}

function runWords(run: CommandRun): CommandWords {
  const { label, main, use, lines, segments } = run;
  const isStarted =
    segments.some(({ background }) => background) ||
    use.input.run_in_background === true ||
    textField(use.result.fields, "backgroundTaskId") !== "";
  if (isStarted) return { title: `Started ${label} in the background` };
  const spoken = lines.filter((line) => line.trim() !== "" && !tableHead.test(line));
  const first = isFromOutside(run) || main.program === "echo" ? "" : (spoken[0]?.trim() ?? "");
  return {
    title: `${main.text === "" ? label : `Ran ${label}`}${first === "" ? "" : `: ${first}`}`,
    facts: spoken.slice(-3),
  };
}

function lastWords(lines: readonly string[]): string {
  return clip(
    lines
      .slice(-30)
      .findLast((line) => /[A-Za-z]{2}/.test(line))
      ?.trim() ?? "",
    300,
  );
}

function errorFacts({ first, location, others }: ErrorLines): string[] {
  if (first === null) return [];
  const file = location?.slice(0, location.lastIndexOf(":")) ?? "";
  const place = location !== null && !first.includes(file) ? ` (${location})` : "";
  const rest = others.map((other) => `Error: ${other}`);
  return [`First error: ${clip(first, 290 - place.length)}${place}`, ...rest];
}

function exitWords({ result }: ToolUse): string {
  return result.exitCode === null || result.exitCode === 0 ? "" : `exit code ${result.exitCode}`;
}

function findingOf(run: CommandRun, words: CommandWords): Finding {
  const { use, command, segments, errors, label } = run;
  const files = commandFiles(segments);
  const purpose = textField(use.input, "description", "justification");
  const whole = oneLine(command, 400);
  const code = exitWords(use);
  const isShown = whole === "" || whole === label;
  return {
    provenance: isFromOutside(run) ? "web" : "command",
    ...words,
    subtitle: purpose || (isShown ? (errors.location ?? "") : `$ ${whole}`),
    narrative: [
      isShown || purpose === "" ? "" : `Command: \`${whole}\``,
      ...(words.narrative ?? []),
      run.failed || words.facts?.some((fact) => fact !== "") ? "" : firstLine(use.result.text),
    ],
    facts: [code === "" ? "" : `Exit code ${use.result.exitCode} of ${label}`, ...(words.facts ?? [])],
    filesRead: [...files.read, ...(words.filesRead ?? [])],
    filesModified: run.failed ? [] : [...files.written, ...(words.filesModified ?? [])],
    routine: !run.failed && run.tests === null && isRoutineCommand(run.main, run.kind),
  };
}

const trap = /rejected|command not found|EADDRINUSE|conflict|ENOSPC|permission denied/i;
// The column names of docker, kubectl, ps and lsof.
const tableHead = /^[A-Z][A-Z0-9%/()]*(?:[\s-]+[A-Z0-9%/()]+)+\s*$/;
const checkResult =
  /\b(?:\d+ (?:problems?|errors?|warnings?|issues?|files?)\b|built in|compiled (?:successfully|in)|Finished|Build succeeded|BUILD SUCCESS|no issues|Checked \d+|All (?:checks|files|matched)|done in)/i;
